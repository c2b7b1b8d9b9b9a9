/** Removal of one text, such as a mail address, from stored events and answers of an organization. */
import { sql } from 'drizzle-orm'
import type { Scope } from './scope.ts'

/** Stands where a personal text was. */
export const REDACTED = '[erased]'

/** The text as it stands inside JSON. */
export const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** Events that were published, answers under an Idempotency-Key, and quarantined events. */
export const redactPlumbing = async (
  { tx, organizationId }: Scope,
  text: string,
): Promise<void> => {
  const found = inJson(text)
  await tx.execute(sql`
    UPDATE outbox SET payload = replace(payload::text, ${found}, ${REDACTED})::jsonb
    WHERE organization_id = ${organizationId} AND strpos(payload::text, ${found}) > 0`)
  await tx.execute(sql`
    UPDATE idempotency SET body = replace(body, ${found}, ${REDACTED})
    WHERE organization_id = ${organizationId} AND strpos(body, ${found}) > 0`)
  await tx.execute(sql`
    DELETE FROM dead_event WHERE subject LIKE ${`events.%.${organizationId}`}
      AND position(convert_to(${found}, 'UTF8') IN raw) > 0`)
}
