// Meeting
