/**
 * Colours and type of the report and its plots, for light and dark themes.
 *
 * A plot inside the report takes them from the page; a separate picture has them in its own style, which follows the reader's
 * preference too. Fonts are those of the reader's system: nothing is loaded.
 */
import { seriesClasses, seriesColours } from './series-style.ts';

const LIGHT = `--paper:#fbfaf7;--panel:#ffffff;--ink:#1d2126;--soft:#5c636b;--faint:#8a9098;--rule:#e4e1da;--grid:#eceae4;--axis:#b9b5ab;--accent:#0066a6;--held:#00704f;--part:#8a6300;--failed:#b3400c;--wash:#f2f0ea;${seriesColours('light')}`;
const DARK = `--paper:#15181c;--panel:#1b1f24;--ink:#e6e8ea;--soft:#a4abb3;--faint:#7c848d;--rule:#2c3138;--grid:#262b31;--axis:#4a515a;--accent:#6bb5f0;--held:#4fcfa5;--part:#e4b93f;--failed:#f3945c;--wash:#20252b;${seriesColours('dark')}`;

const SANS = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",sans-serif';

/** CSS variables for the root element. */
export const themeVariables = `:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}`;

/** Style of the parts of a plot. */
export const plotStyle = `${seriesClasses}
.plot{font-family:${SANS};font-size:12px;font-variant-numeric:tabular-nums}
.plot text{fill:var(--soft)}
.plot text.name{fill:currentColor;font-weight:500}
.plot text.strong{font-weight:700}
.plot text.panel-title{fill:var(--ink);font-size:13px;font-weight:600}
.plot text.axis-title{fill:var(--faint)}
.plot text.second{fill:var(--faint);font-style:italic}
.plot .grid{stroke:var(--grid);stroke-width:1;fill:none}
.plot .axis{stroke:var(--axis);stroke-width:1;fill:none}
.plot .line{stroke:currentColor;stroke-width:1.75;fill:none;stroke-linejoin:round;stroke-linecap:round}
.plot .line.strong{stroke-width:3}
.plot .line.dashed{stroke-dasharray:5 4}
.plot .mark{fill:currentColor;stroke:var(--panel);stroke-width:1}
.plot .mark .stroke{stroke:currentColor;stroke-width:2;fill:none}
.plot .mark .hollow{stroke:currentColor;stroke-width:1.75;fill:var(--panel)}
.plot .leader{stroke:currentColor;stroke-width:1;fill:none;opacity:.45}
.plot .guide{stroke:var(--faint);stroke-width:1.25;fill:none;stroke-dasharray:1.5 4;stroke-linecap:round}`;

/** A plot as a separate picture. */
export function standalone(svg: string): string {
  const style = `<style>${themeVariables}\n${plotStyle}\nsvg{background:var(--panel)}</style>`;
  return `${svg.replace('</title>', `</title>\n${style}`)}\n`;
}

/** Style of the report itself. */
export const pageStyle = `*{box-sizing:border-box}
html{background:var(--paper);color:var(--ink);font-family:${SANS};line-height:1.55;-webkit-text-size-adjust:100%}
body{margin:0 auto;padding:56px 28px 96px;max-width:1144px}
header{max-width:860px}
.kicker{margin:0 0 10px;color:var(--faint);font-size:13px;letter-spacing:.08em;text-transform:uppercase}
h1{margin:0 0 18px;font-size:clamp(34px,5vw,52px);line-height:1.1;letter-spacing:-.02em;font-weight:700;text-wrap:balance}
h2{margin:72px 0 6px;font-size:24px;line-height:1.25;letter-spacing:-.01em}
h3{margin:34px 0 4px;font-size:16px}
p{margin:0 0 12px;max-width:74ch}
.lede{font-size:18px;line-height:1.5}
.note,.facts,figcaption,caption{color:var(--soft);font-size:14px}
ul.reasons{margin:18px 0 0;padding:0;list-style:none;max-width:80ch}
ul.reasons li{padding:9px 0;border-top:1px solid var(--rule)}
figure{margin:22px 0 30px}
figcaption{max-width:78ch;margin-bottom:10px}
figcaption b{color:var(--ink);font-size:16px}
.frame{background:var(--panel);border:1px solid var(--rule);border-radius:10px;padding:16px 14px 8px;overflow-x:auto}
.frame svg{display:block;width:100%;min-width:760px;height:auto}
.pair{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,460px),1fr));gap:0 24px}
.pair .frame svg{min-width:440px}
.legend{display:flex;flex-wrap:wrap;gap:4px 20px;margin:14px 0 0;padding:0;list-style:none;font-size:14px}
.legend svg{width:34px;height:12px;margin-right:7px;vertical-align:-1px;overflow:visible}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;margin:14px 0 8px;font-size:14px;font-variant-numeric:tabular-nums}
caption{text-align:left;padding-bottom:8px}
th,td{padding:8px 12px 8px 0;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:600}
thead th{border-bottom-color:var(--axis);vertical-align:bottom}
td.number,th.number{text-align:right;white-space:nowrap;padding-left:10px}
td small{display:block;color:var(--soft);font-size:12.5px}
td.skipped{color:var(--soft);font-style:italic}
td b{font-weight:600}
tr.pick th{color:var(--ink)}
code{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace;font-size:.9em}
code.hash{color:var(--soft);font-size:12px}
.outcome{display:inline-block;white-space:nowrap;font-weight:600}
.outcome.held{color:var(--held)}
.outcome.part{color:var(--part)}
.outcome.failed{color:var(--failed)}
.outcome.none{color:var(--faint)}
a{color:var(--accent);text-underline-offset:2px}
table.rows{font-size:13px}
table.rows th{white-space:nowrap}
table.rows td,table.rows th{padding-right:8px}
table.situations{width:auto}
table.situations td,table.situations th{padding-right:44px}
table.small{width:auto;margin:2px 0 8px;font-size:13px}
table.small td,table.small th{padding:3px 0 3px 14px;border-bottom:0}
table.small th:first-child{padding-left:0;font-weight:400}
.claims>tbody>tr>td:first-child{width:34%}
.claims>tbody>tr>td:nth-child(2){width:120px}
.claims p{margin:0 0 5px;max-width:none}
details{margin:10px 0;border-top:1px solid var(--rule);padding-top:10px}
summary{cursor:pointer;font-weight:600}
.alarm{border:1px solid var(--failed);border-radius:10px;padding:14px 18px;margin:24px 0;color:var(--failed)}
footer{margin-top:72px;color:var(--soft);font-size:14px}
@media (max-width:720px){.claims>thead{display:none}
.claims,.claims>tbody,.claims>tbody>tr,.claims>tbody>tr>td{display:block}
.claims>tbody>tr>td,.claims>tbody>tr>td:nth-child(n){width:auto;padding:4px 0;border-bottom:0}
.claims>tbody>tr{padding:10px 0;border-bottom:1px solid var(--rule);overflow-x:auto}}
@media print{body{padding:0;max-width:none}.frame{break-inside:avoid}}`;
