/** State changes of a postmortem: written, replaced, published, withdrawn. Pure. */
import { conflict, type IncidentStatus, type NewPostmortem } from '@status-page/contracts'
import type { IncidentRow, PostmortemRow } from '../../tables.ts'

export interface PostmortemInput {
  /** Id of a new postmortem. */
  id: string
  incident: Pick<IncidentRow, 'id' | 'organizationId' | 'status'>
  before: PostmortemRow | null
  body: NewPostmortem
}

/** Returns null if the body changes nothing. */
export const writePostmortem = (input: PostmortemInput, now: Date): PostmortemRow | null => {
  const { id, incident, before, body } = input
  const content = contentOf(body)
  const publishedAt = publication(before, body.isPublished ?? false, incident.status, now)
  if (before !== null && isSame(before, { ...content, publishedAt })) return null
  return {
    id: before?.id ?? id,
    organizationId: incident.organizationId,
    incidentId: incident.id,
    ...content,
    publishedAt,
    createdAt: before?.createdAt ?? now,
    updatedAt: now,
  }
}

type Content = Omit<
  PostmortemRow,
  'id' | 'organizationId' | 'incidentId' | 'publishedAt' | 'createdAt' | 'updatedAt'
>

const contentOf = (body: NewPostmortem): Content => ({
  summary: body.summary,
  rootCause: body.rootCause ?? null,
  impact: body.impact ?? null,
  resolution: body.resolution ?? null,
  timeline: body.timeline ?? [],
  actionItems: (body.actionItems ?? []).map(({ title, owner, dueAt, done }) => ({
    title,
    owner: owner ?? null,
    dueAt: dueAt ?? null,
    done: done ?? false,
  })),
})

/** A published postmortem stays published with its time, even if the incident is reopened. */
const publication = (
  before: PostmortemRow | null,
  isPublished: boolean,
  status: IncidentStatus,
  now: Date,
): Date | null => {
  if (!isPublished) return null
  if (before !== null && before.publishedAt !== null) return before.publishedAt
  if (status !== 'resolved') {
    throw conflict('invalid_state', 'Only the postmortem of a resolved incident can be published')
  }
  return now
}

const isSame = (before: PostmortemRow, after: Content & { publishedAt: Date | null }): boolean =>
  Object.entries(after).every(
    ([field, value]) =>
      JSON.stringify(value) === JSON.stringify(before[field as keyof PostmortemRow]),
  )

/**
 * Every change raises the version of the incident; only changes of published ones change
 * `updatedAt`.
 */
export const incidentWithPostmortem = (
  incident: IncidentRow,
  { before, after }: { before: PostmortemRow | null; after: PostmortemRow | null },
  now: Date,
): IncidentRow => {
  const isPublished = [before, after].some(
    (postmortem) => postmortem !== null && postmortem.publishedAt !== null,
  )
  const updatedAt = isPublished ? now : incident.updatedAt
  return { ...incident, version: incident.version + 1, updatedAt }
}
