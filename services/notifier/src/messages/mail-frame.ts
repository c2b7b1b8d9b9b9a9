/**
 * HTML frame of all mails: one column with logo, state, headline, content, action and footer. The
 * colours of one mode are set inline, because some clients drop styles; a style sets those of dark
 * mode. Layout uses tables, because Outlook ignores widths of other elements.
 */
import type { ComponentStatus } from '@status-page/contracts'
import {
  darkColours,
  ensureContrast,
  lightColours,
  noTheme,
  primaryColourOnBackground,
  stateColourOnBackground,
  type Theme,
  textColourOn,
} from '@status-page/html'
import type { PageAppearance } from '../audiences/pages.ts'
import { escapeHtml } from './mail.ts'

export interface MailFrame {
  /** Sender's name, shown unless there is a logo. */
  senderName: string
  /** Look of the page; null for mails that concern no page. */
  appearance: PageAppearance | null
  /** State above the headline. */
  state?: { label: string; status: ComponentStatus } | null
  headline: string
  /** HTML with escaped texts. */
  content: string
  /** HTML with escaped texts. */
  footer: string
  language: { tag: string; direction: 'ltr' | 'rtl' }
  /** Main action, as a button below the content. */
  action?: { url: string; label: string } | null
}

type Mode = 'light' | 'dark'

const grounds: Record<Mode, { ground: string; edge: string; code: string }> = {
  light: { ground: '#f3f5f8', edge: '#dfe4ea', code: '#eef1f5' },
  dark: { ground: '#0b1016', edge: '#2a3441', code: '#202a37' },
}
/** Minimum contrast of text (WCAG 1.4.3). */
const TEXT_CONTRAST = 4.5

const coloursOf = (theme: Theme, status: ComponentStatus | null, mode: Mode) => {
  const { card, ink, quiet } = mode === 'light' ? lightColours : darkColours
  const primary = primaryColourOnBackground(theme, mode)
  const bar = status === null ? primary : stateColourOnBackground(theme, status, mode)
  const state = ensureContrast(bar, card, TEXT_CONTRAST)
  return {
    ...grounds[mode],
    card,
    ink,
    quiet,
    primary,
    onPrimary: textColourOn(primary),
    bar,
    state,
  }
}

type Colours = ReturnType<typeof coloursOf>

const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"
const MONOSPACE = 'ui-monospace,Menlo,Consolas,monospace'

export const mailFrameHtml = (mail: MailFrame): string => {
  const { tag, direction } = mail.language
  const theme = mail.appearance?.theme ?? noTheme
  const mode = theme.mode === 'dark' ? 'dark' : 'light'
  const status = mail.state?.status ?? null
  const colours = coloursOf(theme, status, mode)
  const schemes = theme.mode === 'system' ? 'light dark' : theme.mode
  const start = direction === 'rtl' ? 'right' : 'left'
  const darkStyle = theme.mode === 'system' ? darkModeStyle(coloursOf(theme, status, 'dark')) : ''
  return `<!doctype html>
<html lang="${tag}" dir="${direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="${schemes}">
<meta name="supported-color-schemes" content="${schemes}"><title>${escapeHtml(mail.headline)}</title>
<style>${contentStyle(colours, start)}${darkStyle}</style></head>
<body class="ground" dir="${direction}" style="margin:0;padding:0;background:${colours.ground}">
<table role="presentation" class="ground" width="100%" style="border-collapse:collapse;background:${colours.ground}"><tr><td align="center" style="padding:24px 12px">
${cardOf(mail, { colours, mode, start })}
<table role="presentation" width="560" style="width:100%;max-width:560px"><tr><td class="inner quiet" align="${start}" style="padding:16px 28px 0;color:${colours.quiet};font:13px/1.5 ${FONT};overflow-wrap:anywhere">${mail.footer}</td></tr></table>
</td></tr></table></body></html>`
}

interface Drawing {
  colours: Colours
  mode: Mode
  start: 'left' | 'right'
}

const cardOf = (mail: MailFrame, drawing: Drawing): string => {
  const { colours, start } = drawing
  const state = mail.state ?? null
  return `<table role="presentation" class="card" width="560" style="width:100%;max-width:560px;background:${colours.card};border:1px solid ${colours.edge};border-collapse:separate;border-spacing:0;border-radius:10px;overflow:hidden">
<tr><td class="bar" style="height:6px;padding:0;background:${colours.bar};font-size:0;line-height:6px">&nbsp;</td></tr>
<tr><td class="inner ink" align="${start}" style="padding:24px 28px;color:${colours.ink};font:16px/1.55 ${FONT};text-align:${start};overflow-wrap:anywhere">
${senderOf(mail, drawing)}
${state === null ? '' : `<p class="state" style="margin:0 0 2px;color:${colours.state};font-size:15px;font-weight:600">${escapeHtml(state.label)}</p>`}
<h1 dir="auto" style="margin:0 0 16px;font-size:21px;line-height:1.3;text-align:${start}">${escapeHtml(mail.headline)}</h1>
${mail.content}
${buttonOf(mail.action ?? null, colours)}</td></tr></table>`
}

const buttonOf = (
  action: { url: string; label: string } | null,
  { primary, onPrimary }: Colours,
): string =>
  action === null
    ? ''
    : `<p style="margin:20px 0 0"><a class="action" style="display:inline-block;padding:10px 20px;border-radius:6px;background:${primary};color:${onPrimary};font-weight:600;text-decoration:none" href="${escapeHtml(action.url)}">${escapeHtml(action.label)}</a></p>
`

/** Logo of the page, else the name of the sender. */
const senderOf = ({ senderName, appearance }: MailFrame, { colours, mode }: Drawing): string => {
  const { name = senderName, logoUrl = null, logoDarkUrl = null, theme } = appearance ?? {}
  const light = mailLogo(logoUrl ?? logoDarkUrl)
  if (light === null) {
    return `<p class="quiet" dir="auto" style="margin:0 0 12px;color:${colours.quiet};font-size:14px">${escapeHtml(senderName)}</p>`
  }
  const dark = mailLogo(logoDarkUrl) ?? light
  const hasBoth = dark !== light && (theme?.mode ?? 'system') === 'system'
  const logos = hasBoth
    ? [logoOf(light, name, 'display:block', 'on-light'), logoOf(dark, name, HIDDEN, 'on-dark')]
    : [logoOf(mode === 'dark' ? dark : light, name, 'display:block', 'logo')]
  return `<div style="margin:0 0 16px">${logos.join('')}</div>`
}

/** Most mail clients do not show SVG images, so such a logo is omitted. */
const mailLogo = (url: string | null): string | null =>
  url !== null && new URL(url).pathname.toLowerCase().endsWith('.svg') ? null : url

const HIDDEN = 'display:none;mso-hide:all'

const logoOf = (url: string, name: string, display: string, className: string): string =>
  `<img class="${className}" src="${escapeHtml(url)}" alt="${escapeHtml(name)}" height="40" style="${display};height:40px;width:auto;max-width:192px;object-fit:contain;border:0;font-size:16px;font-weight:600">`

/**
 * Style of the Markdown of messages; clients that drop it show their defaults. A message may have
 * another direction than the mail, so that logical properties follow those of all clients.
 */
const contentStyle = ({ primary, code, edge, quiet }: Colours, start: 'left' | 'right'): string => `
p{margin:0 0 14px}ul,ol{margin:0 0 14px;padding:0;padding-${start}:24px;padding-inline:24px 0}li p,li ul,li ol{margin:0}
a{color:${primary}}.quiet{color:${quiet}}.quiet a{color:inherit}
code{font-family:${MONOSPACE};font-size:.9em;background:${code};padding:1px 4px;border-radius:4px}
pre{margin:0 0 14px;padding:10px 12px;background:${code};border-radius:6px;white-space:pre-wrap}
pre code{padding:0;background:none}
blockquote{margin:0 0 14px;padding:0 12px;border:0 solid ${edge};border-${start}-width:3px;border-inline-width:3px 0;color:${quiet}}
@media (max-width:480px){.inner{padding-left:20px!important;padding-right:20px!important}}`

const darkModeStyle = (dark: Colours): string => `
@media (prefers-color-scheme:dark){
.ground{background:${dark.ground}!important}
.card{background:${dark.card}!important;border-color:${dark.edge}!important}
.ink{color:${dark.ink}!important}.quiet,blockquote{color:${dark.quiet}!important}
.bar{background:${dark.bar}!important}.state{color:${dark.state}!important}
a{color:${dark.primary}}.action{background:${dark.primary}!important;color:${dark.onPrimary}!important}
code,pre{background:${dark.code}}pre code{background:none}blockquote{border-color:${dark.edge}}
.on-light{display:none!important}.on-dark{display:block!important}
}`
