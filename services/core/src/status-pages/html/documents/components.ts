/**
 * Components of a page in their groups, affected ones first, with status and daily bars;
 * subcomponents below their parent. Long lists fold components that are operational, also those of
 * an affected parent.
 */
import { type PublicComponent, statusesBySeverity } from '@status-page/contracts'
import {
  fillPlaceholders,
  html,
  type Markup,
  type MarkupValue,
  renderEach,
} from '@status-page/html'
import type { PageLanguage } from '../../page-language.ts'
import { inlineIcon } from '../layout/icons.ts'
import type { PageUrls } from '../layout/urls.ts'
import { dayAnchor, statusLegend, uptimeBars } from './bars.ts'

type Children = ReadonlyMap<string | null, readonly PublicComponent[]>

/** Number of components above which operational ones are folded on every screen. */
const MAX_UNFOLDED = 12
/** Number of affected components above which a long list shows no daily bars on phones. */
const MAX_BARS_ON_PHONE = 3

export const componentList = (
  components: readonly PublicComponent[],
  { urls, language }: { urls: Pick<PageUrls, 'path' | 'image'>; language: PageLanguage },
): Markup | null => {
  if (components.length === 0) return null
  const children: Children = Map.groupBy(components, ({ parentComponentId }) => parentComponentId)
  const groups = Map.groupBy(children.get(null) ?? [], ({ groupName }) => groupName)
  const listed = [...groups].map(([name, members]) => ({ name, members: worstFirst(members) }))
  const affected = components.filter((component) => !isOperational(component)).length
  const isLong = components.length > MAX_UNFOLDED
  const foldsOnPhone = affected > MAX_UNFOLDED
  const context = { children, urls, language, isLong, foldsOnPhone }
  const days = components.find(({ uptimeDays }) => uptimeDays !== null)?.uptimeDays
  const isBrief = isLong && affected > MAX_BARS_ON_PHONE
  return html`<section aria-labelledby="systems"${isBrief && html` class="brief"`}><h2 id="systems">${language.texts.systems}</h2>
${renderEach(listed.toSorted(byWorstMember), (listedGroup) => group(listedGroup, context))}
${days && html`<div class="more">${statusLegend(days.length, language)}<a href="${urls.path('/uptime')}">${language.texts.uptimeTitle}</a></div>`}</section>`
}

interface Context {
  children: Children
  urls: Pick<PageUrls, 'path' | 'image'>
  language: PageLanguage
  /** True if operational components are folded on every screen. */
  isLong: boolean
  /** True if groups and subcomponents are folded on phones although some are affected. */
  foldsOnPhone: boolean
}

interface Group {
  name: string | null
  /** Worst status first. */
  members: readonly PublicComponent[]
}

const isOperational = ({ status }: PublicComponent): boolean => status === 'operational'

const severityRank = ({ status }: PublicComponent): number => statusesBySeverity.indexOf(status)

/** Affected components by severity; the order of the page within the same status. */
const worstFirst = (members: readonly PublicComponent[]): PublicComponent[] =>
  members.toSorted((left, right) => severityRank(left) - severityRank(right))

const byWorstMember = (left: Group, right: Group): number => {
  const rank = ({ members }: Group) => Math.min(...members.map(severityRank))
  return rank(left) - rank(right)
}

const group = ({ name, members }: Group, context: Context): Markup => {
  const { isLong, language } = context
  const affected = members.filter((member) => !isOperational(member))
  const operational = members.filter(isOperational)
  const rows = (entries: readonly PublicComponent[]) =>
    entries.length > 0 && html`<ul>${renderEach(entries, (entry) => row(entry, context))}</ul>`
  const foldsOperational =
    isLong && operational.length > 0 && (affected.length > 0 || name === null)
  const content = foldsOperational
    ? html`${rows(affected)}${foldedRows(rows(operational), operational.length, name, language)}`
    : rows(members)
  if (name === null) return html`<div class="card grp">${content}</div>\n`
  const state = members[0]?.status ?? 'operational'
  const summary = html`<summary><h3>${name}</h3><span class="st">${inlineIcon(state)}${rollUp(affected.length, members.length, language)}</span></summary>`
  // Groups without affected components are folded in long lists, and by the script on phones.
  const isFolded = affected.length === 0 && isLong
  const foldsOnPhone = affected.length === 0 || context.foldsOnPhone
  const attributes = isFolded ? null : foldsOnPhone ? html` open data-phone` : html` open`
  return html`<details class="card grp"${attributes} data-fold="${name}">${summary}${content}</details>\n`
}

const foldedRows = (
  rows: MarkupValue,
  count: number,
  listName: string | null,
  { texts, labelled }: PageLanguage,
): Markup =>
  html`<details class="rest" data-fold="${listName} rest"><summary>${inlineIcon('operational')} ${labelled(texts.components.operational, String(count))}</summary>${rows}</details>`

/** State of a group: `5 of 20 affected`. */
const rollUp = (affected: number, total: number, { texts }: PageLanguage): string =>
  affected === 0
    ? texts.components.operational
    : texts.affectedOf.replace('{}', String(affected)).replace('{}', String(total))

/** Summary of subcomponents: `5 of 20 affected`, or their number while all are operational. */
const partsSummary = (affected: number, total: number, language: PageLanguage): string =>
  affected === 0
    ? language.texts.parts.replace('{}', String(total))
    : rollUp(affected, total, language)

const row = (component: PublicComponent, context: Context): Markup => {
  const { id, name, description, status, icon } = component
  const { texts } = context.language
  return html`<li class="c"><div class="r"><strong>${icon && html`<img src="${context.urls.image(icon)}" alt="" width="20" height="20" loading="lazy">`}${name}</strong><span class="st">${inlineIcon(status)}${texts.components[status]}</span></div>
${description && html`<p class="sm q"><bdi>${description}</bdi></p>`}
${causeLine(component, context.language)}${vendorLine(component, context.language)}${barsOf(component, context)}${parts(id, context)}</li>
`
}

const causeLine = ({ causedBy }: PublicComponent, { texts }: PageLanguage): Markup | null => {
  if (causedBy === null) return null
  const cause = html`<bdi>${causedBy.name}</bdi>`
  return html`<p class="sm q">${fillPlaceholders(texts.becauseOf, cause)}</p>`
}

/** Report of the vendor, marked as the vendor's own. */
const vendorLine = (
  { vendorReport }: PublicComponent,
  { texts, time }: PageLanguage,
): Markup | null => {
  if (vendorReport === null) return null
  const { vendor, status, message, url, reportedAt } = vendorReport
  const source = html`<a href="${url}" rel="nofollow noopener"><bdi>${vendor}</bdi></a>`
  if (status === 'no_data') {
    return html`<p class="sm q vendor">${fillPlaceholders(texts.vendorWithoutData, source, time(reportedAt))}</p>`
  }
  const words = message !== null && html` <q><bdi>${message}</bdi></q>`
  const report = html`${texts.components[status]}${words} ${time(reportedAt)}`
  return html`<p class="sm q vendor">${fillPlaceholders(texts.vendorReports, source, report)}</p>`
}

const MONTH_LENGTH = 'yyyy-mm'.length

const barsOf = (
  { id, uptimeDays, uptimePercentage, uptimeSince }: PublicComponent,
  { urls, language }: Context,
): Markup | null => {
  if (uptimeDays === null) return null
  const linkOf = (date: string) =>
    `${urls.path(`/uptime?month=${date.slice(0, MONTH_LENGTH)}`)}#${dayAnchor(date)}`
  const bars = { componentId: id, days: uptimeDays, uptimePercentage, since: uptimeSince }
  return uptimeBars(bars, language, linkOf)
}

/** Subcomponents, folded while all are operational, and by the script on phones in long outages. */
const parts = (parentId: string, context: Context): Markup | null => {
  const members = worstFirst(context.children.get(parentId) ?? [])
  if (members.length === 0) return null
  const { isLong, language } = context
  const affected = members.filter((member) => !isOperational(member))
  const operational = members.filter(isOperational)
  const rows = (entries: readonly PublicComponent[]) =>
    html`<ul class="kids">${renderEach(entries, (entry) => row(entry, context))}</ul>`
  const content =
    isLong && affected.length > 0 && operational.length > 0
      ? html`${rows(affected)}${foldedRows(rows(operational), operational.length, parentId, language)}`
      : rows(members)
  const opened = context.foldsOnPhone ? html` open data-phone` : html` open`
  return html`<details${affected.length === 0 ? null : opened} data-fold="${parentId}"><summary>${partsSummary(affected.length, members.length, language)}</summary>
${content}</details>`
}
