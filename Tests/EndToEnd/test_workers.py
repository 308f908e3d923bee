"""More than one media worker on the one port."""

import itertools

from harness.meeting_page import ADA, BEN, everybody_meets


async def test_a_meeting_works_though_datagrams_land_on_the_wrong_worker(
    start_server, open_page, open_client, report
):
    server = await start_server({"media.workers": 2})
    pages = [await open_page(person, origin=server.origin, seats=9) for person in (ADA, BEN)]
    await everybody_meets(pages)
    bots = []
    handed_over = 0
    # The kernel picks the socket by the client's address: of a few clients, one has drawn the wrong one.
    for number in range(8):
        handed_over = (await server.metrics())["rostrum_datagrams_handed_over_total"]
        if handed_over and bots:
            break
        bots.append(await open_client(f"bot-{number}", at=server, seats=1, hertz=900 + 100 * number))
        await pages[0].sees(bots[-1].pid, size=bots[-1].size)
    report(f"{handed_over:.0f} datagrams were handed over, with {len(bots) + 2} clients")
    assert handed_over > 0
    for page, bot in itertools.product(pages, bots):
        await page.sees(bot.pid, size=bot.size)
        await page.hears(bot.pid, hertz=bot.hertz)
    await everybody_meets(pages)
