#include "Web.h"

// The files are part of the binary, so that one file deploys. A path is what stands below Page.
#pragma clang diagnostic ignored "-Wc23-extensions"

#define HTML "text/html; charset=utf-8"
#define SCRIPT "text/javascript; charset=utf-8"
#define STYLE "text/css; charset=utf-8"
#define IMAGE "image/svg+xml"

static const unsigned char index_html[] = {
#embed "Page/index.html"
};
static const unsigned char rostrum_js[] = {
#embed "Page/rostrum.js"
};
static const unsigned char rostrum_backoff_js[] = {
#embed "Page/rostrum/backoff.js"
};
static const unsigned char rostrum_channel_js[] = {
#embed "Page/rostrum/channel.js"
};
static const unsigned char rostrum_codecs_js[] = {
#embed "Page/rostrum/codecs.js"
};
static const unsigned char rostrum_devices_js[] = {
#embed "Page/rostrum/devices.js"
};
static const unsigned char rostrum_endings_js[] = {
#embed "Page/rostrum/endings.js"
};
static const unsigned char rostrum_errors_js[] = {
#embed "Page/rostrum/errors.js"
};
static const unsigned char rostrum_hints_js[] = {
#embed "Page/rostrum/hints.js"
};
static const unsigned char rostrum_media_js[] = {
#embed "Page/rostrum/media.js"
};
static const unsigned char rostrum_own_js[] = {
#embed "Page/rostrum/own.js"
};
static const unsigned char rostrum_roster_js[] = {
#embed "Page/rostrum/roster.js"
};
static const unsigned char rostrum_seats_js[] = {
#embed "Page/rostrum/seats.js"
};
static const unsigned char rostrum_stats_js[] = {
#embed "Page/rostrum/stats.js"
};
static const unsigned char page_arrange_js[] = {
#embed "Page/page/arrange.js"
};
static const unsigned char page_banners_js[] = {
#embed "Page/page/banners.js"
};
static const unsigned char page_base_css[] = {
#embed "Page/page/base.css"
};
static const unsigned char page_chat_js[] = {
#embed "Page/page/chat.js"
};
static const unsigned char page_clearance_js[] = {
#embed "Page/page/clearance.js"
};
static const unsigned char page_controls_js[] = {
#embed "Page/page/controls.js"
};
static const unsigned char page_dialog_js[] = {
#embed "Page/page/dialog.js"
};
static const unsigned char page_dom_js[] = {
#embed "Page/page/dom.js"
};
static const unsigned char page_fit_js[] = {
#embed "Page/page/fit.js"
};
static const unsigned char page_icon_svg[] = {
#embed "Page/page/icon.svg"
};
static const unsigned char page_icons_js[] = {
#embed "Page/page/icons.js"
};
static const unsigned char page_invitation_js[] = {
#embed "Page/page/invitation.js"
};
static const unsigned char page_join_css[] = {
#embed "Page/page/join.css"
};
static const unsigned char page_list_js[] = {
#embed "Page/page/list.js"
};
static const unsigned char page_lobby_js[] = {
#embed "Page/page/lobby.js"
};
static const unsigned char page_main_js[] = {
#embed "Page/page/main.js"
};
static const unsigned char page_meeting_css[] = {
#embed "Page/page/meeting.css"
};
static const unsigned char page_meeting_js[] = {
#embed "Page/page/meeting.js"
};
static const unsigned char page_menu_js[] = {
#embed "Page/page/menu.js"
};
static const unsigned char page_moderation_js[] = {
#embed "Page/page/moderation.js"
};
static const unsigned char page_notices_js[] = {
#embed "Page/page/notices.js"
};
static const unsigned char page_overlays_css[] = {
#embed "Page/page/overlays.css"
};
static const unsigned char page_panel_css[] = {
#embed "Page/page/panel.css"
};
static const unsigned char page_panel_js[] = {
#embed "Page/page/panel.js"
};
static const unsigned char page_people_js[] = {
#embed "Page/page/people.js"
};
static const unsigned char page_person_js[] = {
#embed "Page/page/person.js"
};
static const unsigned char page_preview_js[] = {
#embed "Page/page/preview.js"
};
static const unsigned char page_quality_js[] = {
#embed "Page/page/quality.js"
};
static const unsigned char page_tiles_js[] = {
#embed "Page/page/tiles.js"
};
static const unsigned char page_verbs_js[] = {
#embed "Page/page/verbs.js"
};
static const unsigned char page_voices_js[] = {
#embed "Page/page/voices.js"
};
static const unsigned char page_waiting_js[] = {
#embed "Page/page/waiting.js"
};
static const unsigned char page_words_js[] = {
#embed "Page/page/words.js"
};
static const unsigned char console_actions_js[] = {
#embed "Page/console/actions.js"
};
static const unsigned char console_api_js[] = {
#embed "Page/console/api.js"
};
static const unsigned char console_asides_js[] = {
#embed "Page/console/asides.js"
};
static const unsigned char console_changes_js[] = {
#embed "Page/console/changes.js"
};
static const unsigned char console_condition_js[] = {
#embed "Page/console/condition.js"
};
static const unsigned char console_console_css[] = {
#embed "Page/console/console.css"
};
static const unsigned char console_credential_js[] = {
#embed "Page/console/credential.js"
};
static const unsigned char console_figures_js[] = {
#embed "Page/console/figures.js"
};
static const unsigned char console_index_html[] = {
#embed "Page/console/index.html"
};
static const unsigned char console_inspector_js[] = {
#embed "Page/console/inspector.js"
};
static const unsigned char console_main_js[] = {
#embed "Page/console/main.js"
};
static const unsigned char console_meetings_js[] = {
#embed "Page/console/meetings.js"
};
static const unsigned char console_messages_js[] = {
#embed "Page/console/messages.js"
};
static const unsigned char console_people_js[] = {
#embed "Page/console/people.js"
};
static const unsigned char console_person_js[] = {
#embed "Page/console/person.js"
};
static const unsigned char console_poller_js[] = {
#embed "Page/console/poller.js"
};
static const unsigned char console_session_css[] = {
#embed "Page/console/session.css"
};
static const unsigned char console_session_js[] = {
#embed "Page/console/session.js"
};
static const unsigned char console_tools_js[] = {
#embed "Page/console/tools.js"
};
static const unsigned char console_words_js[] = {
#embed "Page/console/words.js"
};

#define FILE(path, type, bytes) {path, type, bytes, sizeof(bytes)}

static const web_file files[] = {
    FILE("/", HTML, index_html),
    FILE("/index.html", HTML, index_html),
    FILE("/rostrum.js", SCRIPT, rostrum_js),
    FILE("/rostrum/backoff.js", SCRIPT, rostrum_backoff_js),
    FILE("/rostrum/channel.js", SCRIPT, rostrum_channel_js),
    FILE("/rostrum/codecs.js", SCRIPT, rostrum_codecs_js),
    FILE("/rostrum/devices.js", SCRIPT, rostrum_devices_js),
    FILE("/rostrum/endings.js", SCRIPT, rostrum_endings_js),
    FILE("/rostrum/errors.js", SCRIPT, rostrum_errors_js),
    FILE("/rostrum/hints.js", SCRIPT, rostrum_hints_js),
    FILE("/rostrum/media.js", SCRIPT, rostrum_media_js),
    FILE("/rostrum/own.js", SCRIPT, rostrum_own_js),
    FILE("/rostrum/roster.js", SCRIPT, rostrum_roster_js),
    FILE("/rostrum/seats.js", SCRIPT, rostrum_seats_js),
    FILE("/rostrum/stats.js", SCRIPT, rostrum_stats_js),
    FILE("/page/arrange.js", SCRIPT, page_arrange_js),
    FILE("/page/banners.js", SCRIPT, page_banners_js),
    FILE("/page/base.css", STYLE, page_base_css),
    FILE("/page/chat.js", SCRIPT, page_chat_js),
    FILE("/page/clearance.js", SCRIPT, page_clearance_js),
    FILE("/page/controls.js", SCRIPT, page_controls_js),
    FILE("/page/dialog.js", SCRIPT, page_dialog_js),
    FILE("/page/dom.js", SCRIPT, page_dom_js),
    FILE("/page/fit.js", SCRIPT, page_fit_js),
    FILE("/page/icon.svg", IMAGE, page_icon_svg),
    FILE("/page/icons.js", SCRIPT, page_icons_js),
    FILE("/page/invitation.js", SCRIPT, page_invitation_js),
    FILE("/page/join.css", STYLE, page_join_css),
    FILE("/page/list.js", SCRIPT, page_list_js),
    FILE("/page/lobby.js", SCRIPT, page_lobby_js),
    FILE("/page/main.js", SCRIPT, page_main_js),
    FILE("/page/meeting.css", STYLE, page_meeting_css),
    FILE("/page/meeting.js", SCRIPT, page_meeting_js),
    FILE("/page/menu.js", SCRIPT, page_menu_js),
    FILE("/page/moderation.js", SCRIPT, page_moderation_js),
    FILE("/page/notices.js", SCRIPT, page_notices_js),
    FILE("/page/overlays.css", STYLE, page_overlays_css),
    FILE("/page/panel.css", STYLE, page_panel_css),
    FILE("/page/panel.js", SCRIPT, page_panel_js),
    FILE("/page/people.js", SCRIPT, page_people_js),
    FILE("/page/person.js", SCRIPT, page_person_js),
    FILE("/page/preview.js", SCRIPT, page_preview_js),
    FILE("/page/quality.js", SCRIPT, page_quality_js),
    FILE("/page/tiles.js", SCRIPT, page_tiles_js),
    FILE("/page/verbs.js", SCRIPT, page_verbs_js),
    FILE("/page/voices.js", SCRIPT, page_voices_js),
    FILE("/page/waiting.js", SCRIPT, page_waiting_js),
    FILE("/page/words.js", SCRIPT, page_words_js),
    FILE("/console/actions.js", SCRIPT, console_actions_js),
    FILE("/console/api.js", SCRIPT, console_api_js),
    FILE("/console/asides.js", SCRIPT, console_asides_js),
    FILE("/console/changes.js", SCRIPT, console_changes_js),
    FILE("/console/condition.js", SCRIPT, console_condition_js),
    FILE("/console/console.css", STYLE, console_console_css),
    FILE("/console/credential.js", SCRIPT, console_credential_js),
    FILE("/console/figures.js", SCRIPT, console_figures_js),
    FILE("/console/index.html", HTML, console_index_html),
    FILE("/console/inspector.js", SCRIPT, console_inspector_js),
    FILE("/console/main.js", SCRIPT, console_main_js),
    FILE("/console/meetings.js", SCRIPT, console_meetings_js),
    FILE("/console/messages.js", SCRIPT, console_messages_js),
    FILE("/console/people.js", SCRIPT, console_people_js),
    FILE("/console/person.js", SCRIPT, console_person_js),
    FILE("/console/poller.js", SCRIPT, console_poller_js),
    FILE("/console/session.css", STYLE, console_session_css),
    FILE("/console/session.js", SCRIPT, console_session_js),
    FILE("/console/tools.js", SCRIPT, console_tools_js),
    FILE("/console/words.js", SCRIPT, console_words_js),
};

unsigned web_file_count(void) {
    return sizeof(files) / sizeof(files[0]);
}

const web_file *web_file_at(unsigned i) {
    return i < web_file_count() ? &files[i] : 0;
}
