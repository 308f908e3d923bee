/// How the page looks: the colours are those of the meeting page.
enum DocumentStyle {
    static let text = """
        :root {
          color-scheme: light dark;
          --bg: #f2f4f8; --surface: #fff; --raised: #e9ecf2; --text: #171a21; --soft: #596273; --line: #dce0e8;
          --accent: #3157d5; --read: #1d6b43; --write: #8a4b00; --danger: #b3243b;
          --shadow: 0 1px 2px rgb(20 30 60 / 6%), 0 8px 24px rgb(20 30 60 / 7%);
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --bg: #0d1015; --surface: #161a21; --raised: #232933; --text: #eef1f6; --soft: #9ba5b5; --line: #2a313c;
            --accent: #86a3ff; --read: #6fd39c; --write: #f0b35c; --danger: #ff8d9c;
            --shadow: 0 1px 2px rgb(0 0 0 / 40%), 0 12px 32px rgb(0 0 0 / 30%);
          }
        }
        * { box-sizing: border-box; }
        html { scroll-padding-top: 76px; }
        body {
          margin: 0; background: var(--bg); color: var(--text);
          font: 400 15px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
          -webkit-font-smoothing: antialiased;
          display: grid; grid-template: auto 1fr / 300px minmax(0, 1fr); max-width: 1280px; margin-inline: auto;
        }
        a { color: var(--accent); text-underline-offset: 2px; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
        main:focus { outline: none; }
        code, pre { font: 500 .87em/1.5 ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace; }
        pre code { font-size: 1em; }
        p code, .note code, li code { padding: .1em .35em; border-radius: 5px; background: var(--raised); }
        p { margin: 0 0 10px; }

        .skip {
          position: fixed; z-index: 9; left: 12px; top: -60px; padding: 8px 14px; border-radius: 10px;
          background: var(--text); color: var(--bg);
        }
        .skip:focus { top: 12px; }
        .bar {
          grid-column: 1 / -1; position: sticky; top: 0; z-index: 5; display: flex; align-items: center; gap: 12px;
          padding: 12px 24px; background: color-mix(in srgb, var(--bg) 88%, transparent);
          backdrop-filter: blur(12px); border-bottom: 1px solid var(--line);
        }
        .brand {
          display: flex; align-items: center; gap: 10px; color: var(--text); font-weight: 600; text-decoration: none;
          letter-spacing: -.01em;
        }
        .version { color: var(--soft); font-size: .87rem; }
        .menu, .close { display: none; }

        nav {
          position: sticky; top: 57px; height: calc(100vh - 57px); overflow-y: auto; padding: 20px 12px 40px 24px;
          font-size: .9rem; scrollbar-width: thin;
        }
        nav h2 { margin: 18px 0 6px; font-size: .95rem; letter-spacing: -.01em; }
        nav h2:first-of-type { margin-top: 0; }
        nav h2 a { color: var(--text); text-decoration: none; }
        nav summary { padding: 4px 8px; border-radius: 8px; color: var(--soft); cursor: pointer; }
        nav ul { list-style: none; margin: 2px 0 8px; padding: 0 0 0 10px; border-left: 1px solid var(--line); }
        nav li a {
          display: flex; gap: 8px; align-items: baseline; padding: 3px 8px; border-radius: 8px;
          color: var(--text); text-decoration: none; overflow-wrap: anywhere;
        }
        nav li .verb { flex: 0 0 46px; padding: 0; background: none; }
        nav summary:hover, nav li a:hover { background: var(--raised); }

        main { padding: 28px 24px 96px; min-width: 0; }
        h1 { margin: 0 0 10px; font-size: 2rem; line-height: 1.15; letter-spacing: -.03em; }
        .lead { max-width: 68ch; color: var(--soft); font-size: 1.05rem; }
        .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(340px, 100%), 1fr)); gap: 14px; }
        .card, article {
          padding: 18px 20px; border-radius: 16px; background: var(--surface); box-shadow: var(--shadow);
          min-width: 0;
        }
        .cards { margin-top: 22px; }
        .card h2 { margin: 0 0 8px; font-size: 1rem; letter-spacing: -.01em; }
        .card :last-child { margin-bottom: 0; }
        section > h2 {
          margin: 56px 0 6px; font-size: 1.5rem; letter-spacing: -.025em; line-height: 1.2;
        }
        h3 { margin: 30px 0 12px; font-size: 1.05rem; letter-spacing: -.01em; color: var(--soft); }
        article { margin-top: 14px; }
        article:has(h4:target) { box-shadow: var(--shadow), inset 0 0 0 2px var(--accent); }
        h4 {
          display: flex; flex-wrap: wrap; align-items: center; gap: 8px; margin: 0 0 8px; font-size: 1.02rem;
        }
        h4 code { font-weight: 600; overflow-wrap: anywhere; min-width: 0; }
        .anchor { margin-left: auto; padding: 0 6px; color: var(--soft); text-decoration: none; font-weight: 400; }
        .anchor:hover { color: var(--accent); }
        .verb {
          padding: 2px 8px; border-radius: 7px; background: color-mix(in srgb, currentcolor 12%, transparent);
          font-size: .72rem; font-weight: 700; letter-spacing: .03em; color: var(--accent);
        }
        .verb[data-verb="GET"] { color: var(--read); }
        .verb[data-verb="PUT"], .verb[data-verb="PATCH"] { color: var(--write); }
        .verb[data-verb="DELETE"] { color: var(--danger); }
        .badge {
          padding: 1px 8px; border-radius: 99px; background: var(--raised); color: var(--soft); font-size: .78rem;
          font-weight: 600; font-variant-numeric: tabular-nums;
        }
        .who { color: var(--soft); font-size: .9rem; }
        .who::before { content: ""; display: inline-block; width: 8px; height: 8px; margin-right: 8px;
          border-radius: 50%; background: var(--accent); }
        .part { margin: 14px 0 6px; font-size: .9rem; }
        .note { color: var(--soft); }

        dl { margin: 0; border-top: 1px solid var(--line); }
        article > dl, dd > dl { display: grid; grid-template-columns: minmax(130px, 220px) minmax(0, 1fr); }
        dt, dd { margin: 0; padding: 6px 0; border-bottom: 1px solid var(--line); min-width: 0; }
        dt { padding-right: 12px; overflow-wrap: anywhere; }
        dt code { font-weight: 600; }
        dd > dl { margin: 8px 0 2px; padding-left: 14px; border-left: 2px solid var(--line); border-top: 0; }
        dd > dl > :nth-last-child(-n + 2) { border-bottom: 0; }
        .option { color: var(--soft); font-size: .8rem; }
        .type { margin-right: 8px; font-size: .9rem; }
        .plain { border: 0; }
        .plain dt { padding: 6px 0 0; border: 0; font-weight: 600; }
        .plain dd { padding: 0; border: 0; color: var(--soft); }
        pre {
          margin: 12px 0; padding: 12px 14px; border-radius: 12px; background: var(--raised); overflow-x: auto;
        }
        .codes { margin-top: 12px; font-size: .87rem; }
        .codes summary { width: fit-content; color: var(--soft); cursor: pointer; }
        .codes ul { display: flex; flex-wrap: wrap; gap: 6px 14px; margin: 8px 0 0; padding: 0; list-style: none; }
        .codes a { font: 500 .87em/1.5 ui-monospace, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }

        @media (max-width: 860px) {
          body { display: block; }
          .bar { padding: 10px 16px; }
          .menu, .close {
            display: inline-flex; align-items: center; min-height: 40px; margin-left: auto; padding: 0 14px;
            border-radius: 10px; background: var(--raised); color: var(--text); font-weight: 600;
            text-decoration: none;
          }
          nav { display: none; }
          nav:target {
            display: block; position: fixed; inset: 0; z-index: 8; height: auto; padding: 10px 16px 48px;
            background: var(--bg); font-size: 1rem;
          }
          nav .close { position: sticky; top: 0; float: right; }
          nav summary, nav li a { padding-block: 8px; }
          main { padding: 20px 16px 72px; }
          h1 { font-size: 1.6rem; }
          .card, article { padding: 16px; border-radius: 14px; }
        }
        @media (max-width: 560px) {
          article > dl, dd > dl { display: block; }
          dt { padding: 8px 0 0; border-bottom: 0; }
          dd { padding: 0 0 8px; }
        }
        @media print { nav, .bar, .anchor { display: none; } body { display: block; } }

        """
}
