/** Pure: how the report looks, by day and by night. */

export const STYLE = `
:root { --ink: #1c2430; --soft: #5b6675; --line: #d9dee5; --page: #fff; --tile: #f5f7fa;
  --good: #2f7d4f; --block: #7fb898; --bad: #c23b3b; --mark: #e06c6c; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ee; --soft: #9aa5b4; --line: #333c48;
  --page: #14181e; --tile: #1d232b; --good: #6cc48f; --block: #3f7f5c; --bad: #f08080;
  --mark: #c85050; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 72rem; padding: 1.5rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.1rem; margin: 2rem 0 .3rem; }
p { color: var(--soft); margin: .3rem 0; } code { overflow-wrap: anywhere; }
.phase { font-size: .9rem; font-weight: 600; padding: .15rem .6rem; border-radius: 1rem;
  border: 1px solid currentColor; vertical-align: middle; }
.succeeded { color: var(--good); } .failed { color: var(--bad); }
.figures { display: flex; flex-wrap: wrap; gap: .6rem; margin-top: 1rem; }
.figures div { background: var(--tile); border-radius: .5rem; padding: .5rem .9rem; }
.figures b { display: block; font-size: 1.25rem; } .figures span { color: var(--soft); }
svg { display: block; width: 100%; height: auto; margin-top: .5rem; }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif; }
svg .axis { stroke: var(--line); } svg .ok { fill: var(--block); } svg .no { fill: var(--mark); }
svg rect:hover { opacity: .7; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th { text-align: left; color: var(--soft); font-weight: 500; }
td, th { border-bottom: 1px solid var(--line); padding: .3rem .8rem .3rem 0; }
td:first-child { overflow-wrap: anywhere; } a { color: inherit; }
footer { color: var(--soft); margin-top: 2.5rem; font-size: .85rem; }
`;
