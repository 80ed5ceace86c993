/** Colours and fonts of the page and its plots, for light and dark. The fonts are those of the reader's system. */

const LIGHT =
  '--paper:#fbfaf7;--panel:#fff;--ink:#1d2126;--soft:#5c636b;--rule:#e4e1da;--grid:#eceae4;--alarm:#b3400c;--ours:#0066a6;--native:#a34c8b;--peer:#8a7a55';
const DARK =
  '--paper:#15181c;--panel:#1b1f24;--ink:#e6e8ea;--soft:#a4abb3;--rule:#2c3138;--grid:#262b31;--alarm:#f3945c;--ours:#4aa3e8;--native:#dc96c5;--peer:#b9a97f';

export const pageStyle = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;line-height:1.5}
body{margin:0 auto;padding:48px 28px 80px;max-width:1080px}
h1{margin:0 0 6px;font-size:40px;letter-spacing:-.02em}
h2{margin:56px 0 8px;font-size:24px}
p{max-width:76ch;margin:0 0 10px}
.soft{color:var(--soft);font-size:14px}
ul.soft{padding-left:18px;margin:6px 0 0}
.legend span{margin-right:18px;font-weight:600}
.ours{color:var(--ours)}
.native{color:var(--native)}
.peer{color:var(--peer)}
figure{margin:22px 0 8px}
figcaption{font-weight:600;margin-bottom:8px}
.frame{background:var(--panel);border:1px solid var(--rule);border-radius:10px;padding:12px;overflow-x:auto}
.frame svg{display:block;width:100%;min-width:720px;height:auto}
.plot{font-size:12px;font-variant-numeric:tabular-nums}
.plot text{fill:var(--soft)}
.plot text.name{fill:currentColor;font-weight:500}
.plot .grid{stroke:var(--grid);fill:none}
.plot .bar,.plot .dot{fill:currentColor}
.plot .late,.plot .line{stroke:currentColor;fill:none}
.plot .late{opacity:.55}
.plot .line{stroke-width:2}
.plot .ours .line{stroke-width:3.5}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nums;margin:8px 0}
th,td{text-align:left;padding:6px 14px 6px 0;border-bottom:1px solid var(--rule);vertical-align:top}
.number{text-align:right;white-space:nowrap}
th{color:var(--soft);font-weight:600}
summary{cursor:pointer;color:var(--soft);font-size:14px}
.alarm{border:1px solid var(--alarm);color:var(--alarm);border-radius:10px;padding:12px 16px;margin:20px 0}`;
