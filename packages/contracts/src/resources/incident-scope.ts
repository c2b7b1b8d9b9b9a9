/**
 * Whom an incident concerns: its unmuted components and all above them. Carried plainly, or packed:
 * 500 components ten deep have up to 4,500 ancestors, 175 KB as JSON, more than an event may hold
 * beside a message. Sixteen bytes in 22 characters each make them 99 KB, and nothing is lost.
 */
import type { IncidentEventData } from './incidents.ts'

type Scoped = Pick<IncidentEventData, 'components' | 'packedAncestors'>

const PACKED_LENGTH = 22

/** Ids that a subscriber, a channel or a schedule may have named, each once. */
export const scopeIdsOf = (data: Scoped): string[] => {
  const affected = affectedOf(data)
  const packed = data.packedAncestors ?? ''
  return [
    ...new Set([
      ...affected.flatMap(({ id, ancestorIds }) => [id, ...ancestorIds]),
      ...unpack(packed),
    ]),
  ]
}

/** The same fact in fewer bytes. */
export const packAncestors = <Data extends Scoped>(data: Data): Data => ({
  ...data,
  components: data.components.map((component) => ({ ...component, ancestorIds: [] })),
  packedAncestors: pack([...new Set(affectedOf(data).flatMap(({ ancestorIds }) => ancestorIds))]),
})

/** The unmuted ones; where all are muted, all: who would have been told is recorded. */
const affectedOf = ({ components }: Scoped) => {
  const unmuted = components.filter(({ isMuted }) => !isMuted)
  return unmuted.length > 0 ? unmuted : components
}

const pack = (ids: readonly string[]): string =>
  ids.map((id) => Buffer.from(id.replaceAll('-', ''), 'hex').toString('base64url')).join('')

const unpack = (packed: string): string[] =>
  Array.from({ length: packed.length / PACKED_LENGTH }, (_none, index) => {
    const start = index * PACKED_LENGTH
    const hex = Buffer.from(packed.slice(start, start + PACKED_LENGTH), 'base64url').toString('hex')
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  })
