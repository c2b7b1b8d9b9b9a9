/** Report of a service level by period, as tables, file and print. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { basePath } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { Select } from '../kit/select.tsx'
import { useWindowText } from '../maintenances/window-text.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { useDurationText } from './durations.ts'
import { initialPeriod, periodRange, periods, type ReportPeriod } from './periods.ts'
import { reportQuery, type ServiceLevel, type ServiceLevelReport } from './queries.ts'
import { ComponentTable, IncidentTable, OutageTable } from './report-tables.tsx'
import classes from './service-levels.module.css'

export const ReportCard = ({ serviceLevel: { id } }: { serviceLevel: ServiceLevel }) => {
  const { serviceLevel: texts } = useTexts()
  const [period, setPeriod] = useState(() => initialPeriod(Date.now()))
  const { data, error } = useQuery(reportQuery(id, period))
  const parameters = new URLSearchParams({ ...periodRange(period), format: 'csv' })
  return (
    <Card
      title={texts.report.title}
      aside={
        <span className={classes.noPrint}>
          <a
            className={buttonClass('quiet')}
            href={`${basePath}/api/v1/sla/${id}/report?${parameters}`}
            download
          >
            {texts.report.csv}
          </a>
          <Button emphasis="quiet" onPress={() => print()}>
            {texts.report.print}
          </Button>
        </span>
      }
    >
      <PeriodFields period={period} error={error} onChange={setPeriod} />
      {data === undefined && error === null && <Skeleton rows={6} />}
      {data !== undefined && error === null && <Report report={data} />}
    </Card>
  )
}

interface PeriodFieldsProps {
  period: ReportPeriod
  error: unknown
  onChange(period: ReportPeriod): void
}

const PeriodFields = ({ period, error, onChange }: PeriodFieldsProps) => {
  const { report: texts } = useTexts().serviceLevel
  const errors = useFieldErrors(error)
  return (
    <div className={classes.period}>
      <Select
        label={texts.period}
        options={periods.map((value) => ({ value, label: texts.periods[value] }))}
        value={period.kind}
        onChange={(kind) => onChange({ ...period, kind })}
      />
      {period.kind === 'custom' && (
        <>
          <TextField
            type="date"
            label={texts.from}
            error={errors.from}
            value={period.from}
            onChange={(from) => from !== '' && onChange({ ...period, from })}
          />
          <TextField
            type="date"
            label={texts.to}
            error={errors.to}
            value={period.to}
            onChange={(to) => to !== '' && onChange({ ...period, to })}
          />
        </>
      )}
      <ProblemNote error={error} fieldErrors={errors} fields={['from', 'to']} />
    </div>
  )
}

const Report = ({ report }: { report: ServiceLevelReport }) => {
  const { report: texts, facts } = useTexts().serviceLevel
  const { percent, time } = useFormats()
  const windowText = useWindowText()
  const durationText = useDurationText()
  const { percentage, targetPercentage, met, since } = report
  const figures = [
    { name: texts.uptime, value: percentage === null ? texts.noData : percent(percentage) },
    ...(since === null ? [] : [{ name: facts.since, value: time(since) }]),
    { name: texts.target, value: percent(targetPercentage) },
    { name: texts.result, value: met === null ? texts.noData : met ? texts.met : texts.missed },
    { name: texts.downtime, value: durationText(report.downtimeSeconds) },
    { name: texts.budget, value: durationText(report.budgetRemainingSeconds) },
    { name: texts.excluded, value: durationText(report.excludedSeconds) },
  ]
  return (
    <>
      <p className={classes.span}>{windowText(report.from, report.to)}</p>
      <dl className={classes.figures}>
        {figures.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <ComponentTable report={report} />
      <OutageTable report={report} />
      <IncidentTable report={report} />
    </>
  )
}
