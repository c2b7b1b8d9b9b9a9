/** Conversion of all texts of the documents, with pauses: megabytes of markup take seconds. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StatuspageDocuments } from '@status-page/contracts'
import { messageText } from './message-text.ts'
import type { ConvertedTexts } from './normalizer.ts'
import { plainText } from './plain-text.ts'

export const convertTexts = async (documents: StatuspageDocuments): Promise<ConvertedTexts> => ({
  plain: await convertEach(namesOf(documents), plainText),
  messages: await convertEach(messagesOf(documents), messageText),
})

const namesOf = (documents: StatuspageDocuments): string[] => {
  const { page, components = [], component_groups: groups = [] } = documents
  const { incident_templates: templates = [] } = documents
  return [
    ...(page === undefined ? [] : [page.name, page.page_description ?? '']),
    ...[...components, ...groups].flatMap((component) => [
      component.name,
      component.description ?? '',
    ]),
    ...itemsOf(documents).map(({ name }) => name),
    ...templates.flatMap(({ name, title }) => [name, title ?? '']),
  ]
}

const messagesOf = (documents: StatuspageDocuments): string[] => [
  ...itemsOf(documents).flatMap(({ incident_updates: updates, postmortem_body: postmortem }) => [
    ...(updates ?? []).map(({ body }) => body ?? ''),
    postmortem ?? '',
  ]),
  ...(documents.incident_templates ?? []).map(({ body }) => body ?? ''),
]

const itemsOf = ({
  incidents = [],
  scheduled_maintenances: maintenances = [],
}: StatuspageDocuments) => [...incidents, ...maintenances]

const convertEach = async (
  texts: Iterable<string>,
  convert: (text: string) => string,
): Promise<ReadonlyMap<string, string>> => {
  const converted = new Map<string, string>()
  for (const text of new Set(texts)) {
    converted.set(text, convert(text))
    await nextTurn()
  }
  return converted
}
