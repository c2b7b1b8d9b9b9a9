/** Tables of a report: components, outages and incidents. */
import { Link } from '@tanstack/react-router'
import type { CSSProperties, ReactNode } from 'react'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useDurationText } from './durations.ts'
import type { ServiceLevelReport } from './queries.ts'
import classes from './service-levels.module.css'

interface ReportProps {
  report: ServiceLevelReport
}

interface TableProps {
  title: string
  columns: readonly string[]
  /** In place of the table if there are no rows. */
  none: string
  isEmpty: boolean
  children: ReactNode
}

const Table = ({ title, columns, none, isEmpty, children }: TableProps) => (
  <section className={classes.section}>
    <h3>{title}</h3>
    {isEmpty ? (
      <p className={classes.quiet}>{none}</p>
    ) : (
      <ScrollRegion label={title}>
        <table className={classes.table}>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </ScrollRegion>
    )}
  </section>
)

export const ComponentTable = ({ report: { components } }: ReportProps) => {
  const { report: texts } = useTexts().serviceLevel
  const { percent } = useFormats()
  const durationText = useDurationText()
  const longest = Math.max(1, ...components.map(({ downtimeSeconds }) => downtimeSeconds))
  return (
    <Table
      title={texts.components}
      columns={[texts.component, texts.uptime, texts.downtime]}
      none={texts.noComponents}
      isEmpty={components.length === 0}
    >
      {components.map(({ id, name, percentage, downtimeSeconds }) => (
        <tr key={id}>
          <th scope="row">
            <bdi>{name ?? texts.deleted}</bdi>
          </th>
          <td>{percentage === null ? texts.noData : percent(percentage)}</td>
          <td>
            {durationText(downtimeSeconds)}
            <span
              className={classes.downtime}
              style={{ '--share': `${(downtimeSeconds / longest) * 100}%` } as CSSProperties}
            />
          </td>
        </tr>
      ))}
    </Table>
  )
}

export const OutageTable = ({ report }: ReportProps) => {
  const { serviceLevel, components: statuses } = useTexts()
  const { report: texts } = serviceLevel
  const { plural, time } = useFormats()
  const durationText = useDurationText()
  const names = new Map(report.components.map(({ id, name }) => [id, name]))
  const more = report.outageCount - report.outages.length
  return (
    <>
      <Table
        title={texts.outages}
        columns={[texts.component, texts.status, texts.start, texts.end, texts.length]}
        none={texts.noOutages}
        isEmpty={report.outages.length === 0}
      >
        {report.outages.map(({ componentId, status, startedAt, endedAt, seconds }) => (
          <tr key={`${componentId} ${startedAt}`}>
            <th scope="row">
              <bdi>{names.get(componentId) ?? texts.deleted}</bdi>
            </th>
            <td>{statuses[status]}</td>
            <td>{time(startedAt)}</td>
            <td>{endedAt === null ? texts.open : time(endedAt)}</td>
            <td>{durationText(seconds)}</td>
          </tr>
        ))}
      </Table>
      {more > 0 && <p className={classes.span}>{plural(texts.moreOutages, more)}</p>}
    </>
  )
}

export const IncidentTable = ({ report: { incidents } }: ReportProps) => {
  const { serviceLevel, impacts } = useTexts()
  const { report: texts } = serviceLevel
  const { fill, time } = useFormats()
  const durationText = useDurationText()
  const textOf = (seconds: number | null, isBreached: boolean) => {
    const duration = seconds === null ? texts.open : durationText(seconds)
    return isBreached ? <strong>{fill(texts.late, { duration })}</strong> : duration
  }
  return (
    <Table
      title={texts.incidents}
      columns={[texts.incident, texts.impact, texts.start, texts.response, texts.resolution]}
      none={texts.noIncidents}
      isEmpty={incidents.length === 0}
    >
      {incidents.map((incident) => (
        <tr key={incident.id}>
          <th scope="row">
            <Link to="/incidents/$id" params={{ id: incident.id }}>
              <bdi>{incident.title}</bdi>
            </Link>
          </th>
          <td>{impacts[incident.impact]}</td>
          <td>{time(incident.startedAt)}</td>
          <td>{textOf(incident.responseSeconds, incident.responseBreached)}</td>
          <td>{textOf(incident.resolutionSeconds, incident.resolutionBreached)}</td>
        </tr>
      ))}
    </Table>
  )
}
