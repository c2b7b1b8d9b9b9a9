/** Inline style of a page: one column, light and dark, left-to-right and right-to-left. */
import { colourDeclarations, darkColours, lightColours, type Theme } from './theme.ts'

const ground = (which: 'light' | 'dark') =>
  which === 'light'
    ? `--ground:#f5f7fa;--card:${lightColours.card};--ink:${lightColours.ink};--quiet:${lightColours.quiet};--line:#e1e6ed;--none:#838f9f;color-scheme:light`
    : `--ground:#0d1219;--card:${darkColours.card};--ink:${darkColours.ink};--quiet:${darkColours.quiet};--line:#2a3441;--none:#74828f;color-scheme:dark`

const palette = (theme: Theme, which: 'light' | 'dark') =>
  `${ground(which)};${colourDeclarations(theme, which)}`

/** Colours of both modes. A theme with a fixed mode starts in it; visitors may still switch. */
const grounds = (theme: Theme): string => {
  const [bright, dim] = [palette(theme, 'light'), palette(theme, 'dark')]
  const first = theme.mode === 'dark' ? dim : bright
  const system =
    theme.mode === 'system'
      ? `@media(prefers-color-scheme:dark){:root:not([data-theme=light]){${dim}}}`
      : ''
  return `:root{${first}}${system}:root[data-theme=dark]{${dim}}:root[data-theme=light]{${bright}}`
}

const layout = `
*{box-sizing:border-box}
[hidden]{display:none!important}
html{-webkit-text-size-adjust:100%;scroll-behavior:smooth}
body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
.w{max-width:54rem;margin:0 auto;padding:0 1.25rem}
a{color:var(--link);text-underline-offset:.2em;text-decoration-thickness:1px}
a:hover{text-decoration-thickness:2px}
:focus-visible{outline:3px solid var(--link);outline-offset:3px;border-radius:.35rem}
.skip{position:absolute;inset-inline-start:1rem;top:-4rem;background:var(--card);padding:.6rem 1rem;border-radius:.5rem;z-index:1}
.skip:focus{top:1rem}
h1,h2,h3,p,ol,ul,dl,dd{margin:0;padding:0}
h1{font-size:1.3rem;line-height:1.3;letter-spacing:-.01em}
h2{font-size:1.1rem;line-height:1.35;letter-spacing:-.005em;margin:2.75rem 0 .85rem}
h3{font-size:1rem;font-weight:600;line-height:1.4}
ol,ul{list-style:none}
.intro,.msg>*,.msg li,h2,h3,.r strong,bdi:not([dir]){unicode-bidi:plaintext}
[dir=rtl] main{text-align:right}
.q,time{color:var(--quiet)}
.sm{font-size:.875rem}
header{padding:1.75rem 0 1.5rem}
header .w{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:center}
header h1{flex:1 1 auto;min-width:0}
header h1 a{color:inherit;text-decoration:none;display:block}
.logo{display:block;height:2.5rem;width:12rem;max-width:100%;object-fit:contain;object-position:left center}
[dir=rtl] .logo{object-position:right center}
.on-dark{display:none}
.b{display:inline-block;font:inherit;font-weight:600;font-size:.9375rem;line-height:1.3;padding:.71rem 1.1rem;border:1px solid transparent;border-radius:.6rem;background:var(--link);color:var(--on-link);text-decoration:none;cursor:pointer}
.b:hover{filter:brightness(1.08)}
.plain{background:var(--card);color:var(--ink);border-color:var(--line)}
.i{width:1.25rem;height:1.25rem;flex:none;padding:.17rem;border-radius:50%;fill:none;stroke-width:3;stroke-linecap:round;stroke-linejoin:round;vertical-align:-.25rem;background:var(--s);stroke:var(--on)}
.ok{--s:var(--ok);--on:var(--on-ok)}.slow{--s:var(--slow);--on:var(--on-slow)}.part{--s:var(--part);--on:var(--on-part)}.down{--s:var(--down);--on:var(--on-down)}.work{--s:var(--work);--on:var(--on-work)}.none{--s:var(--none);--on:var(--card)}
.banner{display:flex;gap:1.15rem;align-items:center;padding:1.5rem 1.6rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);border-color:color-mix(in srgb,var(--s) 38%,var(--card));background:linear-gradient(110deg,color-mix(in srgb,var(--s) 17%,var(--card)),color-mix(in srgb,var(--s) 7%,var(--card)))}
[dir=rtl] .banner{background:linear-gradient(250deg,color-mix(in srgb,var(--s) 17%,var(--card)),color-mix(in srgb,var(--s) 7%,var(--card)))}
.banner .i{width:3rem;height:3rem;padding:.55rem;stroke-width:2.6;box-shadow:0 0 0 .4rem color-mix(in srgb,var(--s) 20%,transparent)}
.banner h2{margin:0;font-size:1.5rem;line-height:1.25;letter-spacing:-.02em;text-wrap:balance}
.banner p{margin-top:.2rem}
.banner time,.banner .q{color:inherit;opacity:.86}
.intro{margin:0 0 1.25rem;white-space:pre-line;max-width:44rem}
.note{margin:0 0 1rem;padding:.85rem 1.1rem;border:1px solid var(--line);border-inline-start:4px solid var(--s,var(--work));border-radius:.6rem;background:var(--card)}
.card{background:var(--card);border:1px solid var(--line);border-radius:1rem}
.card+.card{margin-top:1rem}.grp+.grp{margin-top:.6rem}
.inc{padding:1.25rem 1.4rem;border-inline-start:4px solid var(--s)}
.inc h3{font-size:1.1rem}
.inc h3 a{color:inherit;text-decoration:none}
.inc h3 a:hover{text-decoration:underline}
.meta{margin-top:.3rem;font-size:.875rem;color:var(--quiet)}.meta>:not(:last-child)::after{content:"·";margin-inline:.4rem}.meta .st{display:inline;white-space:normal}.meta .i{margin-inline-end:.3rem}.meta .i{width:1.1rem;height:1.1rem}
.st{display:inline-flex;gap:.45rem;align-items:center;font-size:.875rem;font-weight:500;white-space:nowrap}
.ups{margin-top:1.1rem;border-inline-start:2px solid var(--line);margin-inline-start:.35rem}
.ups>li{position:relative;padding:0 0 1rem 0;padding-inline-start:1.2rem}
.ups>li:last-child{padding-bottom:0}
.ups>li::before{content:"";position:absolute;inset-inline-start:-.4rem;top:.45rem;width:.7rem;height:.7rem;border-radius:50%;background:var(--card);border:2px solid var(--quiet)}
.ups>li:first-child::before{background:var(--s);border-color:var(--s)}
.ups h4,.inc .ups h3{margin:0;font-size:.9375rem;font-weight:700}
.ups .sm{margin-top:.1rem}
.msg{margin-top:.35rem}
.msg>*+*,.msg li>*+*{margin-top:.5rem}
.msg ul,.msg ol,.msg blockquote{text-align:start}
.msg ul,.msg ol{list-style:revert;padding-inline-start:1.5rem}
.msg blockquote{margin-inline:0;padding-inline-start:.9rem;border-inline-start:3px solid var(--line);color:var(--quiet)}
.msg code{font:.9em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--ground);padding:.1em .3em;border-radius:.3rem}
.msg pre{overflow-x:auto;padding:.7rem .9rem;background:var(--ground);border:1px solid var(--line);border-radius:.6rem}
.msg pre code{padding:0;background:none}
.first{margin-top:.5rem;font-size:1.35rem;letter-spacing:-.015em}
.narrow{max-width:32rem;padding-top:12vh}
.narrow .q{margin:.4rem 0 1.1rem}
.grp{padding:.2rem 1.4rem}details.grp{padding-block:0}
details.grp:not([open])+details.grp:not([open]){margin-top:0;border-top:0;border-start-start-radius:0;border-start-end-radius:0}
details.grp:not([open]):has(+details.grp:not([open])){border-end-start-radius:0;border-end-end-radius:0}
.grp>summary{display:flex;flex-wrap:wrap;gap:.2rem .75rem;align-items:center;width:auto;padding:.7rem 0!important;color:inherit}
.grp>summary h3{flex:1;font-size:1rem}
.grp>summary::after,.rest>summary::after{content:"";width:.5rem;height:.5rem;margin:0 .25rem;border:solid var(--quiet);border-width:0 2px 2px 0;transform:rotate(45deg)}
.grp[open]>summary::after,.rest[open]>summary::after{transform:rotate(225deg)}
.grp>summary::-webkit-details-marker{display:none}
.grp[open]>summary{border-bottom:1px solid var(--line)}
.rest>summary{display:flex;gap:.5rem;align-items:center;width:auto;padding:.7rem 0!important}
.rest{border-top:1px solid var(--line)}.grp>.rest:first-child{border:0}
.c{padding:.6rem 0}
.c+.c{border-top:1px solid var(--line)}
.r{display:flex;flex-wrap:wrap;gap:.2rem .75rem;align-items:center;justify-content:space-between}
.r img{width:1.25rem;height:1.25rem;object-fit:contain;vertical-align:-.25rem;margin-inline-end:.5rem}
.u{display:flex;gap:.9rem;align-items:center;margin-top:.35rem}.u .f{flex:none;display:block;min-width:6.2rem;line-height:1.35;text-align:end}
.bars{display:block;flex:1;min-width:0;height:1.6rem;overflow:visible;fill:none;stroke-width:3;stroke-linecap:round}
[dir=rtl] .bars{transform:scaleX(-1)}
.bars path{stroke:var(--s)}
.bars:has(a){cursor:pointer}.month .bars{flex:0 1 24rem}.month .u{justify-content:space-between}.bars a:hover path,.bars a:focus-visible path{stroke-width:5}.bars a:focus-visible{outline-offset:1px}
.pop{position:fixed;inset:auto;margin:0;width:max-content;max-width:min(22rem,calc(100vw - 1rem));max-height:min(20rem,calc(100dvh - 1rem));overflow:auto;padding:.8rem 1rem;color:var(--ink);box-shadow:0 .4rem 1.6rem #0003;font-size:.875rem}.pop .past{margin-top:.6rem}
.bars .down{stroke-width:4.2}.bars .pre{stroke:var(--line)}

.f{display:flex;justify-content:space-between;gap:1rem;font-size:.8125rem;color:var(--quiet)}
details>summary{cursor:pointer;font-size:.875rem;color:var(--quiet);padding:.5rem 0 0;width:fit-content}
details[open]>summary{padding-bottom:.25rem}
.pick:has([value=all]:checked)~.kids{display:none}
.kids{margin-inline-start:.3rem;padding-inline-start:1rem;border-inline-start:2px solid var(--line)}
.rng{margin-bottom:.6rem;font-size:.875rem}.rng [aria-current]{font-weight:700;color:inherit;text-decoration:none}
.figs{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,15rem),1fr));gap:1rem}
.fig{padding:1rem 1.25rem;margin:0!important}
.fig strong{font-size:1.35rem;letter-spacing:-.01em}
.line{display:block;width:100%;height:3rem;margin:.5rem 0;fill:none;stroke:var(--link);stroke-width:2}
.line path{vector-effect:non-scaling-stroke;stroke-linejoin:round;stroke-linecap:round}
[dir=rtl] .line{transform:scaleX(-1)}
.leg{display:flex;flex-wrap:wrap;gap:.4rem 1.25rem;margin-top:.3rem;font-size:.8125rem;color:var(--quiet)}
.leg li{display:inline-flex;gap:.45rem;align-items:center}
.leg svg{width:.75rem;height:1.25rem;overflow:visible;fill:none;stroke-width:3;stroke-linecap:round;stroke:var(--s);transform:none}
.leg .down path{stroke-width:4.2}
.day+.day,details+.day{margin-top:1.6rem}
.day>h3{padding-bottom:.45rem;margin-bottom:.8rem;border-bottom:1px solid var(--line)}
.past{padding:.1rem 0 .1rem 0}
.past+.past{margin-top:1.1rem}
.past h4{margin:0;font-size:1rem;line-height:1.4}
.past h4 a{color:inherit}
.past p{white-space:pre-line}
.past .meta{white-space:normal}
.calm{padding:1.1rem 1.4rem;color:var(--quiet)}
.more{margin-top:1.5rem;display:flex;flex-wrap:wrap;gap:.75rem;justify-content:space-between}
.msg+h3{margin-top:1.1rem}
.pm{padding:1.4rem}
.pm h2{margin-top:0}
.pm>ol{margin-top:.4rem}
.pm>ol>li{display:flex;flex-wrap:wrap;gap:.1rem .9rem;padding:.3rem 0}
form{margin:0}
.form{padding:1.4rem}
.form+.form{margin-top:1rem}
.form h2{margin-top:0}
label{font-weight:500}
.fld{display:flex;flex-wrap:wrap;gap:.6rem;margin:.4rem 0 .9rem}
input:not([type=radio],[type=checkbox]),textarea{flex:1 1 14rem;min-width:0;font:inherit;padding:.6rem .8rem;border:1px solid var(--none);border-radius:.6rem;background:var(--card);color:var(--ink)}
.stack{display:grid;gap:1.1rem;margin-top:1.2rem}
.stack input:not([type=hidden],[type=radio]),textarea{display:block;width:100%;margin-top:.35rem}
.stack fieldset{margin:0}.stack:not(:has([value=password]:checked)) .for-password{display:none}
.qr svg{display:block;width:13rem;max-width:100%;border-radius:.6rem}
.stack .q{margin:0}
.stack .err{margin-top:.5rem;font-size:.875rem;color:var(--down)}
.stack [aria-invalid=true]{border-color:var(--down)}
.stack+.more,.more+.more{margin-top:1.1rem}
.form>h1+.note{margin-top:1rem}
.form>.facts+h2,.form>.more+h2{margin-top:1.5rem}
.facts{display:grid;gap:.6rem;margin-top:1rem}
.facts dt{font-size:.875rem;color:var(--quiet)}
.list{display:grid;gap:.5rem;margin-top:.6rem}.list .note{margin:0}
.pick{display:flex;gap:.6rem;align-items:baseline;padding:.25rem 0;font-weight:400}
.pick input{accent-color:var(--link);width:1.05rem;height:1.05rem;flex:none;transform:translateY(.15rem)}
fieldset{margin:.25rem 0 1rem;padding:0;border:0;min-width:0}
legend{padding:0 0 .25rem;font-weight:600}
.form>h1+p{margin-top:.4rem}.form>p+form,.form>p+.note{margin-top:1.1rem}
.d1{margin-inline-start:1.5rem}.d2{margin-inline-start:3rem}.d3{margin-inline-start:4.5rem}
.slim .w{max-width:40rem}
.links{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem}
footer{margin-top:3.5rem;padding:1.5rem 0 3rem;border-top:1px solid var(--line);font-size:.875rem;color:var(--quiet)}
footer .w{display:flex;flex-wrap:wrap;gap:.75rem 1.5rem;align-items:center;justify-content:space-between}
footer [aria-current]{font-weight:700;color:inherit;text-decoration:none}
footer nav{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem}
footer a,footer button{display:inline-block;padding:.2rem 0}
.tools{display:flex;flex-wrap:wrap;gap:.35rem 1.1rem;min-height:1.9rem;align-items:center}
footer button{font:inherit;border:0;background:none;color:var(--link);cursor:pointer;text-decoration:underline;text-underline-offset:.2em}
@media(min-width:34rem){[data-ago]::after{content:" (" attr(data-ago) ")"}}
.hide{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media(max-width:34rem){body{line-height:1.45}h2{margin:1.15rem 0 .5rem}header .w{gap:.5rem .75rem}header h1{flex-basis:8rem}.b{padding-inline:.85rem}.grp>summary,.rest>summary{min-height:2.75rem;padding-block:.3rem!important}.r{column-gap:.5rem}.r .st{font-size:.8125rem}.w{padding-inline:1rem}.narrow{padding-top:1.5rem}header{padding:1rem 0}.intro{margin-bottom:.9rem}.inc{padding:.9rem 1.05rem}.ups{margin-top:.7rem}footer{margin-top:1.25rem;padding:1rem 0 1.5rem}footer nav{column-gap:.9rem}footer .w{gap:.35rem 1.5rem}.day>h3{margin-bottom:.5rem;padding-bottom:.3rem}.more{margin-top:.6rem}.banner{padding:.75rem 1.05rem;gap:1rem}.banner .i{width:2.5rem;height:2.5rem;padding:.45rem}.banner h2{font-size:1.25rem}.grp,.inc,.form,.pm{padding-inline:1.05rem}.c{padding:.45rem 0}.u{margin-top:.15rem}.bars{height:1.2rem}.u .f{min-width:5.4rem;font-size:.75rem}.brief .u,.brief .c .q{display:none}}
@media(prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{.b,.tools,.skip{display:none}}
`.replaceAll('\n', '')

/** Shows the logo for the current mode. */
const logos = (theme: Theme): string => {
  const dim = (when: string) => `${when} .on-light{display:none}${when} .on-dark{display:block}`
  const bright =
    ':root[data-theme=light] .on-light{display:block}:root[data-theme=light] .on-dark{display:none}'
  const first = theme.mode === 'dark' ? dim(':root') : ''
  const system =
    theme.mode === 'system'
      ? `@media(prefers-color-scheme:dark){${dim(':root:not([data-theme=light])')}}`
      : ''
  return `${first}${system}${dim(':root[data-theme=dark]')}${bright}`
}

export const pageStyleSheet = (theme: Theme): string => `${grounds(theme)}${layout}${logos(theme)}`
