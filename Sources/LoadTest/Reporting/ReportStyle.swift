/// How a report's page looks: light or dark as the reader's system is, on a phone or a wall.
enum ReportStyle {
    static let text = """
        :root { --ink: #1d2430; --soft: #667085; --line: #e4e7ec; --page: #f6f7f9; --card: #fff;
          --a: #2563eb; --b: #e2711d; --bad: #b42318; --good: #067647; --tint: #eef4ff }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #98a2b3; --line: #303846;
          --page: #14181f; --card: #1c222c; --a: #6ea8fe; --b: #f4a259; --bad: #f97066; --good: #47cd89;
          --tint: #1a2333 } }
        * { box-sizing: border-box }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
          max-width: 1240px; margin: 0 auto; padding: 32px 24px 60px }
        h1 { font-size: 28px; margin: 0; letter-spacing: -.01em } h2 { font-size: 18px; margin: 36px 0 12px }
        h3 { font-size: 12px; margin: 0 0 6px; color: var(--soft); text-transform: uppercase;
          letter-spacing: .06em }
        header p { margin: 4px 0 0 } header .details { color: var(--soft); font-size: 13px; margin: 2px 0 18px }
        header .verdict { display: inline-block; margin: 0 0 18px; padding: 3px 12px; border-radius: 99px;
          border: 1px solid currentColor; font-weight: 600; font-size: 13px }
        .bad { color: var(--bad) !important } .good { color: var(--good) !important } ul.bad { margin: -8px 0 18px; padding: 0; list-style: none }
        .cards { display: grid; grid-template-columns: repeat(var(--columns), 1fr); gap: 12px }
        .cards div, figure, .groups > div { background: var(--card); border: 1px solid var(--line);
          border-radius: 12px; padding: 14px 16px }
        .cards .bad { border-color: currentColor } .cards .bad span { color: inherit }
        .cards b { display: block; font-size: 20px; font-weight: 650; font-variant-numeric: tabular-nums;
          white-space: nowrap }
        .cards span { color: var(--soft); font-size: 13px }
        .sizing { background: var(--tint); border-left: 3px solid var(--a); border-radius: 0 12px 12px 0;
          padding: 12px 16px; margin: 12px 0 0 }
        .charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(320px, 100%), 1fr)); gap: 12px;
          margin-top: 12px }
        figure { margin: 0 } figcaption { display: flex; gap: 6px; align-items: baseline; margin-bottom: 6px;
          color: var(--soft); font-size: 12px; white-space: nowrap }
        figcaption b { font-size: 15px; font-weight: 600; color: var(--ink) }
        figcaption span { margin-left: auto }
        .note { color: var(--soft); font-size: 12px; margin: 8px 0 0 }
        figcaption i { display: inline-block; width: 14px; height: 3px; margin: 0 4px 3px 8px; border-radius: 2px }
        i.a { background: var(--a) } i.b { background: var(--b) }
        svg { width: 100%; height: auto; display: block } svg text { font-size: 11px; fill: var(--soft) }
        .shade { fill: var(--soft); opacity: .13 } .grid { stroke: var(--line) } path { fill: none; stroke-width: 2; stroke-linejoin: round }
        path.a { stroke: var(--a) } path.b { stroke: var(--b) }
        path.fill { stroke: none; opacity: .12 } path.fill.a { fill: var(--a) } path.fill.b { fill: none }
        .groups { columns: 380px; column-gap: 12px } .groups > div { break-inside: avoid; margin-bottom: 12px }
        table { border-collapse: collapse; width: 100%; font-size: 13.5px } table + table { margin-top: 14px }
        td { padding: 3px 0; border-top: 1px solid var(--line) }
        td + td, th + th { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 10px }
        th { font-size: 12px; font-weight: 400; color: var(--soft); text-align: left; padding: 0 0 3px }
        tr:first-child td { border-top: 0 }
        @media (max-width: 900px) { .cards { grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)) }
          body { padding: 24px 16px 40px } }
        """
}
