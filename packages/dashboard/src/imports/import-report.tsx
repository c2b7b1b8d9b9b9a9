/** Report of an import, or of its dry run. */
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './imports.module.css'
import type { PageImportReport } from './statuspage-import.ts'

export const ReportView = ({ report }: { report: PageImportReport }) => {
  const { imports: texts } = useTexts()
  const { fill, number } = useFormats()
  const { page, subscribers, warnings } = report
  const countsOf = ({ created, updated, unchanged }: PageImportReport['components']) =>
    fill(texts.counts, {
      created: number(created),
      updated: number(updated),
      unchanged: number(unchanged),
    })
  return (
    <>
      <dl className={classes.report}>
        <div className={classes.fact}>
          <dt>{texts.page}</dt>
          <dd>{page === null ? texts.none : <bdi>{`${page.name} · ${page.url}`}</bdi>}</dd>
        </div>
        {(['components', 'incidents', 'maintenances'] as const).map((kind) => (
          <div key={kind} className={classes.fact}>
            <dt>{texts[kind]}</dt>
            <dd>{countsOf(report[kind])}</dd>
          </div>
        ))}
        <div className={classes.fact}>
          <dt>{texts.subscribers}</dt>
          <dd>
            {subscribers === null
              ? texts.none
              : fill(texts.people, {
                  imported: number(subscribers.imported),
                  skipped: number(subscribers.skipped),
                  failed: number(subscribers.failed),
                })}
          </dd>
        </div>
      </dl>
      {warnings.length > 0 && <Adjustments warnings={warnings} />}
      {subscribers !== null && subscribers.errors.length > 0 && (
        <Adjustments
          warnings={subscribers.errors.map(({ row, field, message }) => ({
            field: `subscribers_csv:${row} ${field ?? ''}`,
            message,
          }))}
        />
      )}
    </>
  )
}

const Adjustments = ({ warnings }: Pick<PageImportReport, 'warnings'>) => {
  const { imports: texts } = useTexts()
  const lines = [...new Set(warnings.map(({ field, message }) => `${field} ${message}`))]
  return (
    <section>
      <h3 className={classes.listTitle}>{texts.warnings}</h3>
      <ul className={classes.warnings} dir="ltr">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </section>
  )
}
