/** Values of the form for a new status page: components, slug and problems. Pure. */
import { domainToUnicode } from 'node:url'
import {
  AppError,
  type Body,
  MAX_PAGE_ENDPOINTS,
  type pageSetupOperations,
  type Visibility,
} from '@status-page/contracts'
import { fillPlaceholders, html, type MarkupValue } from '@status-page/html'
import { organizationSlugFrom } from '../identity/users/rules.ts'
import type { FormValues } from './form.ts'
import { pageInputs } from './form-inputs.ts'
import { type FormRefusal, formRefusalOf, issuesOf } from './form-refusal.ts'
import type { AccountVisitor } from './visitor.ts'

/** Line of the form with the URL that it stands for. */
interface EnteredUrl {
  line: string
  url: string
}

/** Distinct URLs of a text with one per line; `https` is the default scheme. */
export const enteredUrls = (text: string): EnteredUrl[] => {
  const lines = text.split('\n').map((line) => line.trim())
  const entered = lines
    .filter((line) => line !== '')
    .map((line) => ({ line, url: line.includes('://') ? line : `https://${line}` }))
  const key = ({ url }: EnteredUrl) => URL.parse(url)?.href ?? url
  return [...new Map(entered.map((entry) => [key(entry), entry])).values()]
}

const MAX_NAME_LENGTH = 100

/** Name of a component: host and path, because a query can contain secrets. */
export const componentNameOf = (url: string): string => {
  const parsed = URL.parse(url)
  if (parsed === null) return 'URL'
  const port = parsed.port === '' ? '' : `:${parsed.port}`
  const path = parsed.pathname.replace(/\/+$/, '')
  const host = domainToUnicode(parsed.hostname) || parsed.hostname
  return [...`${host}${port}${path}`].slice(0, MAX_NAME_LENGTH).join('')
}

const MIN_SLUG_LENGTH = 3

/** Slug that the form suggests for a name. */
export const pageSlugFrom = (name: string): string => {
  const slug = organizationSlugFrom(name)
  return slug.length < MIN_SLUG_LENGTH ? `${slug}-status` : slug
}

/** Body of the operation; it validates the values. */
export const pageSetupOf = (
  { name, slug, visibility, password }: FormValues,
  urls: readonly EnteredUrl[],
  { locale }: AccountVisitor,
): Body<typeof pageSetupOperations.create> => ({
  page: {
    name: name ?? '',
    slug: slug ?? '',
    isPublished: true,
    locale,
    visibility: (visibility ?? 'public') as Visibility,
    ...(visibility === 'password' && password ? { password } : {}),
  },
  endpoints: urls.map(({ url }) => ({ name: componentNameOf(url), url })),
})

const formInputs = Object.values(pageInputs)
const BAD_REQUEST = 400

/** Problem of the form when it has too many URLs; null otherwise. */
export const tooManyUrls = (
  { texts }: AccountVisitor,
  urls: readonly EnteredUrl[],
): FormRefusal | null =>
  urls.length <= MAX_PAGE_ENDPOINTS
    ? null
    : problemOf(BAD_REQUEST, texts.problems.fields, [['urls', null]])

/** Problem that the form shows for an error of the operation; null for one that is none of the form's. */
export const pageRefusalOf = (
  error: unknown,
  visitor: AccountVisitor,
  urls: readonly EnteredUrl[],
): FormRefusal | null => {
  if (!(error instanceof AppError)) return null
  const { problems, newPage } = visitor.texts
  if (error.code === 'CONFLICT') {
    return problemOf(error.status, problems.fields, [['slug', newPage.takenSlug]])
  }
  if (error.code !== 'VALIDATION_ERROR') return formRefusalOf(error, visitor, formInputs)
  const issues = issuesOf(error).map(({ field }) => field)
  const unusable = urls.filter((_, index) =>
    issues.some((field) => field.startsWith(`endpoints[${index}]`)),
  )
  const names = new Set(issues.map((field) => field.replace('page.', '')))
  const fields = formInputs.flatMap(({ name }): [string, MarkupValue][] =>
    names.has(name) ? [[name, null]] : [],
  )
  if (unusable.length > 0) {
    fields.push(['urls', fillPlaceholders(newPage.unusableUrls, lineList(unusable))])
  }
  return fields.length === 0 ? null : problemOf(error.status, problems.fields, fields)
}

const problemOf = (
  status: number,
  alert: string,
  fields: readonly [string, MarkupValue][],
): FormRefusal => ({ status, alert, fields: new Map(fields), headers: {} })

const MAX_SHOWN_LENGTH = 80

const lineList = (urls: readonly EnteredUrl[]): MarkupValue =>
  urls.map(({ line }, index) => {
    const text = line.length > MAX_SHOWN_LENGTH ? `${line.slice(0, MAX_SHOWN_LENGTH)}…` : line
    return html`${index > 0 && ', '}<bdi>${text}</bdi>`
  })
