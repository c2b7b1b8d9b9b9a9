/** Entry of the audit log, with its changes on demand. */
import type { Schemas } from '@status-page/client'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './audit.module.css'

interface AuditEntryProps {
  entry: Schemas['AuditLog']
  actor: string
}

export const AuditEntry = ({ entry, actor }: AuditEntryProps) => {
  const { time } = useFormats()
  const { action, entityType, entityName, createdAt } = entry
  return (
    <details className={classes.entry}>
      <summary className={classes.summary}>
        <code dir="ltr">{action}</code>
        <bdi className={classes.name}>{entityName ?? entityType}</bdi>
        <bdi className={classes.quiet}>{actor}</bdi>
        <time className={classes.quiet} dateTime={createdAt}>
          {time(createdAt)}
        </time>
      </summary>
      <Facts entry={entry} />
      <Changes changes={entry.changes} />
    </details>
  )
}

const Facts = ({ entry }: Pick<AuditEntryProps, 'entry'>) => {
  const { audit: texts } = useTexts().organizationScreens
  const facts = [
    [texts.resource, `${entry.entityType} ${entry.entityId}`],
    [texts.address, entry.ipAddress],
    [texts.program, entry.userAgent],
    [texts.request, entry.requestId],
  ] as const
  return (
    <dl className={classes.facts}>
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <div key={label}>
              <dt>{label}</dt>
              <dd dir="ltr">{value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

interface FieldChange {
  from?: unknown
  to?: unknown
}

const Changes = ({ changes }: { changes: Record<string, unknown> }) => {
  const { audit: texts } = useTexts().organizationScreens
  const fields = Object.entries(changes)
  if (fields.length === 0) return null
  return (
    <table className={classes.table}>
      <thead>
        <tr>
          <th scope="col">{texts.field}</th>
          <th scope="col">{texts.before}</th>
          <th scope="col">{texts.after}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(([field, change]) => {
          const { from, to } = (change ?? {}) as FieldChange
          return (
            <tr key={field}>
              <th scope="row">{field}</th>
              <td dir="auto">{textOf(from)}</td>
              <td dir="auto">{textOf(to)}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
