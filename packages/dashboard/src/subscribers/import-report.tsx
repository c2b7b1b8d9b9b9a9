/** Counts of an import, or of its dry run, and its errors by row. */
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { CsvReport } from './csv-import.ts'
import classes from './subscribers.module.css'

export const ImportReportView = ({ report }: { report: CsvReport }) => {
  const { import: texts } = useTexts().subscribers
  const { number } = useFormats()
  const counts = [
    [texts.total, report.total],
    [texts.new, report.imported],
    [texts.updated, report.updated],
    [texts.skipped, report.skipped],
    [texts.failed, report.failed],
  ] as const
  return (
    <>
      <dl className={classes.counts}>
        {counts.map(([name, count]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{number(count)}</dd>
          </div>
        ))}
      </dl>
      {report.errors.length > 0 && <RowErrors report={report} />}
    </>
  )
}

const RowErrors = ({ report: { errors, failed } }: { report: CsvReport }) => {
  const { import: texts } = useTexts().subscribers
  const { number } = useFormats()
  const rows = new Set(errors.map(({ row }) => row)).size
  return (
    <section>
      <h3 className={classes.listTitle}>{texts.errors}</h3>
      <ScrollRegion label={texts.errors}>
        <table className={classes.errors}>
          <thead>
            <tr>
              <th scope="col">{texts.row}</th>
              <th scope="col">{texts.field}</th>
              <th scope="col">{texts.problem}</th>
            </tr>
          </thead>
          <tbody>
            {errors.map(({ row, field, message }) => (
              <tr key={`${row} ${field} ${message}`}>
                <td>{number(row)}</td>
                <td>
                  <code>{field}</code>
                </td>
                <td dir="ltr">{message}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      {rows < failed && <p className={classes.quiet}>{texts.moreErrors}</p>}
    </section>
  )
}
