/** Settings of a status page as the designer holds them, and their conversion to the API. */
import type { Schemas } from '@status-page/client'
import type { FieldErrors } from '../api/field-errors.ts'

export type PageResource = Schemas['StatusPage']
export type PageEntry = PageResource['components'][number]
type Theme = PageResource['theme']
type Appearance = Schemas['StatusPageAppearance']

export const stateColours = [
  'operationalColor',
  'degradedColor',
  'partialColor',
  'majorColor',
  'maintenanceColor',
] as const

const themeFields = ['mode', 'primaryColor', ...stateColours] as const satisfies (keyof Theme)[]

/** Settings that have the same value in the API. */
const plainFields = [
  'name',
  'slug',
  'timezone',
  'locale',
  'alternateLocales',
  'showUptimePercentage',
  'visibility',
  'allowIndexing',
  'allowFeeds',
  'allowEmailSubscribers',
  'allowSmsSubscribers',
  'allowWebhookSubscribers',
] as const satisfies (keyof PageResource)[]

/** Texts that are null when they are empty. */
const optionalTexts = [
  'description',
  'homepageUrl',
  'supportUrl',
  'logoUrl',
  'logoDarkUrl',
  'faviconUrl',
] as const satisfies (keyof PageResource)[]

const numbers = ['uptimeDays', 'incidentHistoryDays'] as const satisfies (keyof PageResource)[]

type Texts = (typeof optionalTexts)[number] | (typeof numbers)[number] | 'allowedIpRanges'

/**
 * Colours are fields of their own, so that two users who change different ones have no conflict.
 * Numbers and lists of networks are texts, as they are entered.
 */
export type PageDraft = Pick<PageResource, (typeof plainFields)[number] | 'components'> &
  Record<Texts, string> &
  Record<Exclude<keyof Theme, 'mode'>, string> &
  Pick<Theme, 'mode'>

export type PageField = keyof PageDraft
/** Fields of the draft that are texts. */
export type TextFieldName = {
  [Field in PageField]: PageDraft[Field] extends string
    ? string extends PageDraft[Field]
      ? Field
      : never
    : never
}[PageField]
export type BooleanFieldName = {
  [Field in PageField]: PageDraft[Field] extends boolean ? Field : never
}[PageField]

const textOf = (value: string | number | null): string => (value === null ? '' : String(value))

const pick = <Source extends object, Field extends keyof Source>(
  source: Source,
  fields: readonly Field[],
): Pick<Source, Field> =>
  Object.fromEntries(fields.map((field) => [field, source[field]])) as Pick<Source, Field>

const textsOf = <Field extends string>(
  source: Readonly<Record<Field, string | number | null>>,
  fields: readonly Field[],
) =>
  Object.fromEntries(fields.map((field) => [field, textOf(source[field])])) as Record<Field, string>

export const draftOf = (page: PageResource): PageDraft => ({
  ...pick(page, plainFields),
  ...textsOf(page, [...optionalTexts, ...numbers]),
  allowedIpRanges: page.allowedIpRanges.join('\n'),
  ...textsOf(page.theme, ['primaryColor', ...stateColours]),
  mode: page.theme.mode,
  components: inOrder(page.components),
})

/** Entries in the order of the page, numbered from 0. */
const inOrder = (entries: readonly PageEntry[]): PageEntry[] =>
  entries
    .toSorted((left, right) => left.order - right.order)
    .map((entry, order) => ({ ...entry, order }))

const optionalText = (text: string) => (text.trim() === '' ? null : text.trim())

/** A text that is no number is sent as it is: the service refuses it with its own message. */
const numberOf = (text: string) => {
  const plain = text.trim()
  if (plain === '') return null
  return Number.isFinite(Number(plain)) ? Number(plain) : plain
}

/** Entries of the text of the address ranges. */
export const ipRangesOf = (text: string): string[] =>
  text.split(/[\s,]+/).filter((range) => range !== '')

const converters: Partial<Record<PageField, (text: never) => unknown>> = {
  ...Object.fromEntries(optionalTexts.map((field) => [field, optionalText])),
  ...Object.fromEntries(numbers.map((field) => [field, numberOf])),
  allowedIpRanges: ipRangesOf,
}

const isThemeField = (field: string): field is (typeof themeFields)[number] =>
  (themeFields as readonly string[]).includes(field)

const themeOf = (draft: PageDraft) =>
  Object.fromEntries(themeFields.map((field) => [field, optionalText(draft[field])]))

/** Body of a PATCH with some fields of the draft. */
export const patchOf = (
  draft: PageDraft,
  fields: readonly string[],
): Schemas['StatusPagePatch'] => {
  const plain = fields.filter((field) => !isThemeField(field)) as PageField[]
  const values = plain.map((field) => {
    const convert = converters[field] as ((value: unknown) => unknown) | undefined
    return [field, convert === undefined ? draft[field] : convert(draft[field])]
  })
  const theme = plain.length < fields.length ? { theme: themeOf(draft) } : {}
  return { ...Object.fromEntries(values), ...theme }
}

const appearanceFields = [
  'name',
  ...optionalTexts,
  ...themeFields,
  'components',
  'timezone',
  'locale',
  'alternateLocales',
  ...numbers,
  'showUptimePercentage',
  'allowFeeds',
] as const satisfies PageField[]

/** Body of a preview: every setting that changes what the page shows. */
export const appearanceOf = (draft: PageDraft): Appearance =>
  patchOf(draft, appearanceFields) as Appearance

/** Field of the draft that an error of the service concerns, such as `theme.primaryColor`. */
export const draftFieldOf = (field: string): string => {
  const [first = '', second] = field.split(/[.[]/, 2)
  return first === 'theme' ? (second ?? first) : first
}

/** First error of a field or of a part of it. */
export const errorOf = (errors: FieldErrors, field: PageField | 'password'): string | undefined =>
  Object.entries(errors).find(([name]) => draftFieldOf(name) === field)?.[1]
