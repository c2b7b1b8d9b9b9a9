/**
 * Components of a page in their groups, with status and daily bars; subcomponents below their
 * parent.
 */
import type { PublicComponent } from '@status-page/contracts'
import { html, type Markup, renderEach } from '@status-page/html'
import type { PageLanguage } from '../../locales/language.ts'
import { inlineIcon } from '../layout/icons.ts'
import { statusLegend, uptimeBars } from './bars.ts'

type Children = ReadonlyMap<string | null, readonly PublicComponent[]>

export const componentList = (
  components: readonly PublicComponent[],
  language: PageLanguage,
): Markup | null => {
  if (components.length === 0) return null
  const children: Children = Map.groupBy(components, ({ parentComponentId }) => parentComponentId)
  const groups = Map.groupBy(children.get(null) ?? [], ({ groupName }) => groupName)
  const hasDays = components.some(({ uptimeDays }) => uptimeDays !== null)
  return html`<section aria-labelledby="systems"><h2 id="systems">${language.texts.systems}</h2>
${renderEach([...groups], ([name, members]) => group(name, members, { children, language }))}
${hasDays && statusLegend(language)}</section>`
}

interface Context {
  children: Children
  language: PageLanguage
}

const group = (
  name: string | null,
  members: readonly PublicComponent[],
  context: Context,
): Markup => html`<div class="card grp">${name !== null && html`<h3>${name}</h3>`}
<ul>${renderEach(members, (one) => row(one, context))}</ul></div>
`

const row = (component: PublicComponent, context: Context): Markup => {
  const { id, name, description, status, icon: picture } = component
  const { texts } = context.language
  return html`<li class="c"><div class="r"><strong>${picture && html`<img src="${picture}" alt="" width="20" height="20" loading="lazy">`}${name}</strong><span class="st">${inlineIcon(status)}${texts.components[status]}</span></div>
${description && html`<p class="sm q"><bdi>${description}</bdi></p>`}
${uptimeBars(component, context.language)}${parts(context.children.get(id) ?? [], context)}</li>
`
}

/** Subcomponents, collapsed while all of them are operational. */
const parts = (members: readonly PublicComponent[], context: Context): Markup | null => {
  if (members.length === 0) return null
  const isWell = members.every(({ status }) => status === 'operational')
  const { texts } = context.language
  return html`<details${isWell ? null : html` open`}><summary>${texts.parts.replace('{}', String(members.length))}</summary>
<ul class="kids">${renderEach(members, (one) => row(one, context))}</ul></details>`
}
