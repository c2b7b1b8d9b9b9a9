/** SQL that depends on the kind of a destination. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { ChannelKind } from './channel.ts'
import { channels } from './index.ts'

/** SQL for a value of the kind `type`. */
export const channelValue = (
  type: SQLWrapper,
  read: (channel: ChannelKind) => string | number | null,
): SQL => {
  const cases = Object.entries(channels).flatMap(([name, channel]) => {
    const value = read(channel)
    const literal = typeof value === 'number' ? sql`${value}::float8` : sql`${value}::text`
    return value === null ? [] : [sql`WHEN ${name}::text THEN ${literal}`]
  })
  return sql`CASE ${type} ${sql.join(cases, sql` `)} END`
}

/** SQL for the maximum age of an event worth delivering to the kind `type`. */
export const lifetimeOf = (type: SQLWrapper): SQL =>
  sql`make_interval(secs => ${channelValue(type, ({ lifetimeMs }) => lifetimeMs / 1000)})`
