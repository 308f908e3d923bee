"""Clients of other makes, and other ways to the server, in the same meeting as Chromium."""

from harness.meeting_page import ADA, BEN, MeetingPage, everybody_meets


async def test_firefox_and_chromium_see_and_hear_each_other(open_page, firefox_tab, server, session):
    ada = await open_page(ADA)
    ben = await MeetingPage.open(firefox_tab, server.origin, session, BEN)
    await everybody_meets([ada, ben], within=10)
    assert [await ada.offers(), await ben.offers()] == [1, 1]


async def test_aiortc_and_chromium_see_and_hear_each_other(open_page, open_client, report):
    ada = await open_page(ADA)
    bot = await open_client("bot")
    await ada.sees(bot.pid, size=bot.size)
    await ada.hears(bot.pid, hertz=bot.hertz)
    picture = await bot.sees(ada.pid, (ADA.width, ADA.height))
    voice = await bot.hears(ada.pid, ADA.voice_hz)
    report(f"aiortc decoded {picture.frames} pictures and {voice.frames} frames of sound")
    codec = (await ada.seat(bot.pid))["codec"]
    assert codec == "video/VP8"


async def test_two_aiortc_clients_see_and_hear_each_other(open_client):
    bots = [
        await open_client("one", size=(176, 144), hertz=600), await open_client("two", size=(320, 240), hertz=900)]
    for bot, other in (bots, reversed(bots)):
        await bot.sees(other.pid, other.size)
        await bot.hears(other.pid, other.hertz)


async def test_a_browser_without_udp_meets_by_tcp(open_page, report):
    ada = await open_page(ADA)
    ben = await open_page(BEN, tcp_only=True)
    await everybody_meets([ada, ben], within=10)
    path = await ben.evaluate("endToEnd.path()")
    report(f"the path is {path}")
    assert path["protocol"] == "tcp"
    assert (await ada.evaluate("endToEnd.path()"))["protocol"] == "udp"
