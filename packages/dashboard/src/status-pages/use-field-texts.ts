/** Names of the settings of a status page, and their values as text. */
import { useQuery } from '@tanstack/react-query'
import { allComponentsQuery } from '../components/queries.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { PageDraft, PageEntry, PageField } from './page-draft.ts'

interface FieldTexts {
  labels: Record<PageField | 'password', string>
  textOf(field: PageField, value: PageDraft[PageField]): string
}

export const useFieldTexts = (): FieldTexts => {
  const { statusPages: texts } = useTexts()
  const { locale } = useLanguage()
  const { facts, labelled } = useFormats()
  const { can } = useSession()
  const { data = [] } = useQuery({ ...allComponentsQuery, enabled: can('COMPONENTS_VIEW') })
  const languages = new Intl.DisplayNames(locale, { type: 'language' })
  const languageOf = (code: string) => languages.of(code) ?? code
  const entryText = ({ componentId, displayName, groupName }: PageEntry) => {
    const name = displayName ?? data.find(({ id }) => id === componentId)?.name
    return groupName === null ? (name ?? texts.choice.deleted) : labelled(groupName, String(name))
  }
  const textOf: FieldTexts['textOf'] = (field, value) => {
    if (field === 'components') return (value as PageEntry[]).map(entryText).join('\n')
    if (field === 'alternateLocales') return facts((value as string[]).map(languageOf))
    if (field === 'locale') return languageOf(String(value))
    if (field === 'visibility') return texts.visibilities[value as PageDraft['visibility']]
    if (field === 'mode') return texts.modes[value as PageDraft['mode']]
    if (typeof value === 'boolean') return value ? texts.yes : texts.no
    return String(value)
  }
  return { labels: { ...texts.fields, password: texts.password.label }, textOf }
}
