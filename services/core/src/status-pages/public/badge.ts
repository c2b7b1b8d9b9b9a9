/** Badges: a small SVG with a label and a message. Pure; every text of a tenant is escaped. */
import type { ComponentStatus } from '@status-page/contracts'
import { escapeXml } from '@status-page/html'
import { textWidth } from '../../text-width.ts'
import type { PageLanguage } from '../page-language.ts'

export interface Badge {
  label: string
  message: string
  /** Text alternative. */
  title: string
  colour: string
}

/** White text on each colour has a contrast of at least 4.5. */
const colours = {
  green: '#1a7f37',
  blue: '#0969da',
  yellow: '#946300',
  orange: '#b8500c',
  red: '#cf222e',
  grey: '#57606a',
} as const

const statusColours: Record<ComponentStatus, string> = {
  operational: colours.green,
  under_maintenance: colours.blue,
  degraded_performance: colours.yellow,
  partial_outage: colours.orange,
  major_outage: colours.red,
}

export const statusBadge = (
  status: ComponentStatus,
  label: string,
  { texts, labelled }: PageLanguage,
): Badge => {
  const message = texts.components[status]
  return { label, message, title: labelled(label, message), colour: statusColours[status] }
}

/** Badge of a percentage; null when the page does not publish it. */
export const uptimeBadge = (
  percentage: number | null,
  label: string,
  { texts, percent, labelled }: PageLanguage,
): Badge => {
  const message = percentage === null ? texts.components.no_data : percent(percentage)
  const colour = percentage === null ? colours.grey : colourOf(percentage)
  return { label, message, title: labelled(label, message), colour }
}

/** Mean of the published percentages; null when there is none. */
export const meanUptime = (percentages: readonly (number | null)[]): number | null => {
  const known = percentages.filter((percentage) => percentage !== null)
  if (known.length === 0) return null
  const mean = known.reduce((sum, percentage) => sum + percentage, 0) / known.length
  return Math.round(mean * 100) / 100
}

const colourOf = (percentage: number): string => {
  if (percentage >= 99.9) return colours.green
  if (percentage >= 99) return colours.yellow
  return percentage >= 95 ? colours.orange : colours.red
}

const HEIGHT = 20
const PADDING = 6
const FONT_SIZE = 11

export const renderBadge = ({ label, message, title: alternative, colour }: Badge): string => {
  const left = lengthOf(label) + 2 * PADDING
  const right = lengthOf(message) + 2 * PADDING
  const width = left + right
  const title = escapeXml(alternative)
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" viewBox="0 0 ${width} ${HEIGHT}" role="img" aria-label="${title}">
<title>${title}</title>
<clipPath id="corners"><rect width="${width}" height="${HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#corners)">
<rect width="${left}" height="${HEIGHT}" fill="#3d444d"/>
<rect x="${left}" width="${right}" height="${HEIGHT}" fill="${colour}"/>
</g>
<g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${FONT_SIZE}">
${textAt(PADDING, label)}
${textAt(left + PADDING, message)}
</g>
</svg>
`
}

/** `textLength` scales any font to this width. */
const lengthOf = (text: string): number => Math.ceil(textWidth(text, FONT_SIZE))

const textAt = (x: number, text: string): string =>
  `<text x="${x}" y="14" textLength="${lengthOf(text)}" xml:space="preserve">${escapeXml(text)}</text>`
