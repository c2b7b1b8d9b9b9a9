/**
 * Colours of a page. Colours chosen by the organization are mixed with black or white until their
 * contrast is sufficient, so that every page is readable. Pure.
 */
import type { ComponentStatus, StatusPage } from '@status-page/contracts'

export type Theme = StatusPage['theme']

/** Theme of documents that belong to no page. */
export const noTheme: Theme = {
  mode: 'system',
  primaryColor: null,
  operationalColor: null,
  degradedColor: null,
  partialColor: null,
  majorColor: null,
  maintenanceColor: null,
}

type Colour = readonly [number, number, number]

interface Ground {
  card: string
  ink: string
  quiet: string
}

export const lightColours: Ground = { card: '#ffffff', ink: '#14202e', quiet: '#556274' }
export const darkColours: Ground = { card: '#151c26', ink: '#e8edf4', quiet: '#a3b0c0' }
const grounds = { light: lightColours, dark: darkColours }

/** Minimum contrast of shapes (WCAG 1.4.11) and of text (1.4.3). */
const SHAPE_CONTRAST = 3
const TEXT_CONTRAST = 4.5

export const stateColours: Record<ComponentStatus, { light: string; dark: string }> = {
  operational: { light: '#17925a', dark: '#3ccf8e' },
  degraded_performance: { light: '#a87000', dark: '#f0b83f' },
  partial_outage: { light: '#cf5208', dark: '#ff8f52' },
  major_outage: { light: '#cb2431', dark: '#ff6b6b' },
  under_maintenance: { light: '#2567d1', dark: '#6fabff' },
}

const themeFields: Record<ComponentStatus, keyof Theme> = {
  operational: 'operationalColor',
  degraded_performance: 'degradedColor',
  partial_outage: 'partialColor',
  major_outage: 'majorColor',
  under_maintenance: 'maintenanceColor',
}

const variables: Record<ComponentStatus, string> = {
  operational: 'ok',
  degraded_performance: 'slow',
  partial_outage: 'part',
  major_outage: 'down',
  under_maintenance: 'work',
}

const PRIMARY = { light: '#2b4acb', dark: '#9db4ff' }

/** CSS declarations of the colours for a light or dark background. */
export const colourDeclarations = (theme: Theme, which: 'light' | 'dark'): string => {
  const states = Object.entries(variables).flatMap(([status, name]) => {
    const colour = stateColourOnBackground(theme, status as ComponentStatus, which)
    return [`--${name}:${colour}`, `--on-${name}:${symbolColourOn(colour)}`]
  })
  const primary = primaryColourOnBackground(theme, which)
  return [...states, `--link:${primary}`, `--on-link:${textColourOn(primary)}`].join(';')
}

export const stateColourOnBackground = (
  theme: Theme,
  status: ComponentStatus,
  which: 'light' | 'dark',
): string => {
  const chosen = theme[themeFields[status]]
  return chosen
    ? ensureContrast(chosen, grounds[which].card, SHAPE_CONTRAST)
    : stateColours[status][which]
}

export const primaryColourOnBackground = (
  { primaryColor }: Theme,
  which: 'light' | 'dark',
): string =>
  primaryColor
    ? ensureContrast(primaryColor, grounds[which].card, TEXT_CONTRAST + 0.5)
    : PRIMARY[which]

export const stateColour = (theme: Theme, status: ComponentStatus): string =>
  theme[themeFields[status]] ?? stateColours[status].light

/** Colour of symbols that are drawn on a shape of the given colour. */
export const symbolColourOn = (colour: string): string => onTop(colour, SHAPE_CONTRAST)

export const textColourOn = (colour: string): string => onTop(colour, TEXT_CONTRAST)

/** White when its contrast is sufficient, otherwise nearly black. */
const onTop = (colour: string, ratio: number): string =>
  contrastRatio(colour, '#ffffff') >= ratio ? '#fff' : '#0b1016'

const STEPS = 20

/** Colour with sufficient contrast that is nearest to the given one, mixed with black or white. */
export const ensureContrast = (colour: string, ground: string, ratio: number): string => {
  const end = luminance(parse(ground)) > 0.4 ? '#000000' : '#ffffff'
  for (let step = 0; step <= STEPS; step++) {
    const mixed = mix(colour, end, step / STEPS)
    if (contrastRatio(mixed, ground) >= ratio) return mixed
  }
  return end
}

export const contrastRatio = (one: string, other: string): number => {
  const [high = 0, low = 0] = [one, other]
    .map((colour) => luminance(parse(colour)))
    .toSorted((left, right) => right - left)
  return (high + 0.05) / (low + 0.05)
}

const parse = (text: string): Colour => {
  const value = Number.parseInt(text.slice(1), 16)
  return [(value >> 16) & 255, (value >> 8) & 255, value & 255]
}

const mix = (from: string, to: string, share: number): string => {
  const [start, end] = [parse(from), parse(to)]
  const parts = start.map((part, index) => Math.round(part + ((end[index] ?? 0) - part) * share))
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** Relative luminance of sRGB (WCAG 2.2). */
const luminance = (colour: Colour): number => {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
