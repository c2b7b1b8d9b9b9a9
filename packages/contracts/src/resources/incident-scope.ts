/**
 * Scope of an incident: its unmuted components and all their ancestors, stored plainly or packed.
 * 500 components at depth ten have up to 4,500 ancestors, 175 KB as JSON, more than an event can
 * contain in addition to a message. Packed losslessly as 22 characters per id, they take 99 KB.
 */
import type { IncidentEventData } from './incidents.ts'

type Scoped = Pick<IncidentEventData, 'components' | 'packedAncestors'>

const PACKED_LENGTH = 22

/**
 * Returns the component ids that a subscriber, channel or schedule may have selected, without
 * duplicates.
 */
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

/** Returns the data with packed ancestors, in fewer bytes. */
export const packAncestors = <Data extends Scoped>(data: Data): Data => ({
  ...data,
  components: data.components.map((component) => ({ ...component, ancestorIds: [] })),
  packedAncestors: pack([...new Set(affectedOf(data).flatMap(({ ancestorIds }) => ancestorIds))]),
})

/**
 * Unmuted components; all components when all are muted, so that suppressed deliveries are
 * recorded.
 */
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
