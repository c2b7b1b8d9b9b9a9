/** Fields of the editor of postmortems, and the request that they become. Pure. */
import type { Schemas } from '@status-page/client'

type Postmortem = NonNullable<Schemas['Incident']['postmortem']>

export const textSections = ['summary', 'rootCause', 'impact', 'resolution'] as const
type TextSection = (typeof textSections)[number]

export interface PostmortemFields extends Record<TextSection, string> {
  timeline: Postmortem['timeline']
  actionItems: Postmortem['actionItems']
}

export const postmortemFieldsOf = (postmortem: Postmortem | null): PostmortemFields => ({
  summary: postmortem?.summary ?? '',
  rootCause: postmortem?.rootCause ?? '',
  impact: postmortem?.impact ?? '',
  resolution: postmortem?.resolution ?? '',
  timeline: postmortem?.timeline ?? [],
  actionItems: postmortem?.actionItems ?? [],
})

/** Body of the PUT without its publication; lines without text are left out. */
export const toPostmortemBody = ({ timeline, actionItems, ...texts }: PostmortemFields) => ({
  summary: texts.summary,
  rootCause: texts.rootCause || null,
  impact: texts.impact || null,
  resolution: texts.resolution || null,
  timeline: timeline
    .filter(({ text }) => text.trim() !== '')
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at)),
  actionItems: actionItems
    .filter(({ title }) => title.trim() !== '')
    .map(({ owner, ...item }) => ({ ...item, owner: owner || null })),
})
