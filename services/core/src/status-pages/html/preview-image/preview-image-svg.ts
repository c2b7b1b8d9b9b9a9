/** Link preview of a page as SVG: name, status as text and as a shape, and address. Pure. */
import type { Indicator, Locale } from '@status-page/contracts'
import {
  darkColours,
  escapeXml,
  lightColours,
  primaryColourOnBackground,
  stateColourOnBackground,
  symbolColourOn,
  type Theme,
} from '@status-page/html'
import { textsByLocale } from '@status-page/html/texts'
import { statusByIndicator } from '../layout/banner.ts'
import type { PageFrame } from '../layout/frame.ts'
import { iconPaths } from '../layout/icons.ts'
import { PREVIEW_IMAGE_SIZE } from '../layout/preview-image-size.ts'
import { type FittedText, fitText } from './preview-image-text.ts'

const MARGIN = 96
const EDGE = 20
const LINE_HEIGHT = 1.25

const DISC = { y: 372, radius: 84, halo: 104, stroke: 2.5 } as const
/** Side length of the box in which a shape is defined. */
const SHAPE_BOX = 24
const SHAPE_SCALE = 5.6

const NAME = { y: 146, width: PREVIEW_IMAGE_SIZE.width - 2 * MARGIN, maxLines: 2 } as const
const STATE_X = MARGIN + 2 * DISC.halo + 28
const STATE = { width: PREVIEW_IMAGE_SIZE.width - STATE_X - MARGIN, maxLines: 2 } as const
const ADDRESS = { y: 566, width: NAME.width, maxLines: 1 } as const

/** Inputs of a link preview image; equal inputs give the same image. */
export interface PreviewImageInput {
  name: string
  /** URL of the page without the protocol. */
  address: string
  locale: Locale
  theme: Theme
  indicator: Indicator
}

export const previewImageInput = (
  { page, urls }: PageFrame,
  indicator: Indicator,
): PreviewImageInput => {
  const { name, locale, theme } = page
  const address = urls.url('').replace(/^https?:\/\//, '')
  return { name, address: address.replace(/\/$/, ''), locale, theme, indicator }
}

export const previewImageSvg = ({
  name,
  address,
  locale,
  theme,
  indicator,
}: PreviewImageInput): string => {
  const { direction, statusPage } = textsByLocale[locale]
  const which = theme.mode === 'dark' ? 'dark' : 'light'
  const { card, ink, quiet } = { light: lightColours, dark: darkColours }[which]
  const status = statusByIndicator[indicator]
  const colour = stateColourOnBackground(theme, status, which)
  const side = sideOf(direction)
  const title = fitText(withoutUnsupported(name), locale, { ...NAME, sizes: [60, 50, 42] })
  const state = fitText(statusPage.overall[indicator], locale, {
    ...STATE,
    sizes: [80, 68, 58, 50],
  })
  const addressLines = fitText(address, locale, { ...ADDRESS, sizes: [32, 26] })
  const { width, height } = PREVIEW_IMAGE_SIZE
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="${width}" height="${height}" fill="${card}"/>
<rect width="${width}" height="${height}" fill="${colour}" fill-opacity=".1"/>
<rect x="${side.at(0, EDGE)}" width="${EDGE}" height="${height}" fill="${primaryColourOnBackground(theme, which)}"/>
${discOf(side.at(MARGIN + DISC.halo), colour, iconPaths[status])}
<g font-family="Noto Sans" font-weight="700" text-anchor="${side.anchor}">
<g fill="${ink}">
${linesAt(side.at(MARGIN), NAME.y + firstLine(title), title)}
${linesAt(side.at(STATE_X), DISC.y + firstLine(state), state)}
</g>
<g fill="${quiet}" font-weight="400">
${linesAt(side.at(MARGIN), ADDRESS.y, addressLines)}
</g>
</g>
</svg>
`
}

interface ReadingSide {
  anchor: 'start' | 'end'
  /** X position of an item of this width at this distance from the reading start. */
  at(distance: number, width?: number): number
}

const sideOf = (direction: 'ltr' | 'rtl'): ReadingSide =>
  direction === 'ltr'
    ? { anchor: 'start', at: (distance) => distance }
    : { anchor: 'end', at: (distance, width = 0) => PREVIEW_IMAGE_SIZE.width - distance - width }

const discOf = (x: number, colour: string, shape: string): string => {
  const { y, radius, halo, stroke } = DISC
  const half = (SHAPE_BOX / 2) * SHAPE_SCALE
  return `<circle cx="${x}" cy="${y}" r="${halo}" fill="${colour}" fill-opacity=".2"/>
<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}"/>
<g transform="translate(${x - half} ${y - half}) scale(${SHAPE_SCALE})" fill="none" stroke="${symbolColourOn(colour)}" stroke-width="${stroke}" stroke-linecap="round" stroke-linejoin="round">${shape}</g>`
}

/** Approximate height of capital letters, relative to the font size. */
const CAP_HEIGHT = 0.72

/** Baseline of the first line of a text that is centred vertically. */
const firstLine = ({ size, lines }: FittedText): number =>
  (size * (CAP_HEIGHT - (lines.length - 1) * LINE_HEIGHT)) / 2

const linesAt = (x: number, y: number, { size, lines }: FittedText): string => {
  const isRightToLeft = RIGHT_TO_LEFT.test(FIRST_LETTER.exec(lines.join(''))?.[0] ?? '')
  return lines
    .map((line, index) => {
      const base = Math.round(y + index * size * LINE_HEIGHT)
      const text = isRightToLeft ? `${EMBEDDED}${line}${EMBEDDED_END}` : line
      return `<text x="${x}" y="${base}" font-size="${size}">${escapeXml(text)}</text>`
    })
    .join('\n')
}

const FIRST_LETTER = /\p{L}/u
const RIGHT_TO_LEFT = /\p{Script=Arabic}/u
/** Marks right-to-left lines, because the renderer treats every line as left-to-right otherwise. */
const EMBEDDED = '\u202b'
const EMBEDDED_END = '\u202c'

const scripts = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Devanagari',
  'Arabic',
  'Han',
  'Hiragana',
  'Katakana',
]
const signs =
  '\\u0020-\\u00ff\\u0600-\\u06ff\\u2010-\\u2027\\u20a0-\\u20bf\\u2122\\u3000-\\u30ff\\uff00-\\uffef'
const UNSUPPORTED_CHARACTERS = new RegExp(
  `[^${scripts.map((name) => `\\p{Script=${name}}`).join('')}\\p{Script=Inherited}${signs}]+`,
  'gu',
)

/** Removes characters without a glyph in the fonts, which would be drawn as boxes. */
const withoutUnsupported = (text: string): string =>
  text.replaceAll(UNSUPPORTED_CHARACTERS, ' ').replaceAll(/ +/g, ' ')
