/** Import of subscribers: file, result of the dry run by row, and report. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { FileTrigger } from 'react-aria-components'
import { NoPermission } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Screen } from '../kit/screen.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type CsvPlan, type DuplicateChoice, duplicateChoices, useCsvImport } from './csv-import.ts'
import { ImportReportView } from './import-report.tsx'
import classes from './subscribers.module.css'

type CsvImport = ReturnType<typeof useCsvImport>

export const SubscriberImportScreen = () => {
  const { import: texts } = useTexts().subscribers
  const { can } = useSession()
  return (
    <Screen title={texts.title} intro={texts.intro}>
      {can('SUBSCRIBERS_CREATE') ? <Import /> : <NoPermission />}
    </Screen>
  )
}

const Import = () => {
  const { import: texts } = useTexts().subscribers
  const { plural } = useFormats()
  const { plan, apply } = useCsvImport()
  const [duplicates, setDuplicates] = useState<DuplicateChoice>('skip')
  if (apply.data !== undefined) {
    return (
      <Card title={texts.title}>
        <div className={classes.content}>
          <Note state="ok">{plural(texts.imported, apply.data.imported + apply.data.updated)}</Note>
          <ImportReportView report={apply.data} />
          <p>
            <Link to="/subscribers" className={buttonClass('primary')}>
              {texts.list}
            </Link>
          </p>
        </div>
      </Card>
    )
  }
  if (plan.data !== undefined) {
    return <PlanCard plan={plan.data} apply={apply} onBack={() => plan.reset()} />
  }
  return <FileCard plan={plan} duplicates={duplicates} onDuplicates={setDuplicates} />
}

interface FileCardProps {
  plan: CsvImport['plan']
  duplicates: DuplicateChoice
  onDuplicates(choice: DuplicateChoice): void
}

const FileCard = ({ plan, duplicates, onDuplicates }: FileCardProps) => {
  const { import: texts } = useTexts().subscribers
  const choose = (files: FileList | null) => {
    const file = files?.[0]
    if (file !== undefined) plan.mutate({ file, duplicates })
  }
  return (
    <Card title={texts.action}>
      <div className={classes.content}>
        <p>{texts.format}</p>
        <div className={classes.choices}>
          <Select
            label={texts.duplicates}
            options={duplicateChoices.map((value) => ({ value, label: texts[value] }))}
            value={duplicates}
            onChange={onDuplicates}
          />
        </div>
        <p>
          <FileTrigger acceptedFileTypes={['.csv', 'text/csv']} onSelect={choose}>
            <Button emphasis="primary" isDisabled={plan.isPending}>
              {plan.isPending ? texts.reading : texts.choose}
            </Button>
          </FileTrigger>
        </p>
        <ProblemNote error={plan.error} />
      </div>
    </Card>
  )
}

interface PlanCardProps {
  plan: CsvPlan
  apply: CsvImport['apply']
  onBack(): void
}

const PlanCard = ({ plan: { source, report }, apply, onBack }: PlanCardProps) => {
  const { import: texts } = useTexts().subscribers
  const { fill, plural } = useFormats()
  const stored = report.imported + report.updated
  return (
    <Card title={fill(texts.plan, { name: `\u2068${source.file.name}\u2069` })}>
      <div className={classes.content}>
        {report.failed > 0 && <Note state="part">{texts.failedHint}</Note>}
        <ImportReportView report={report} />
        <div className={classes.actions}>
          <Button
            emphasis="primary"
            onPress={() => apply.mutate(source)}
            isDisabled={apply.isPending || stored === 0}
          >
            {apply.isPending ? texts.applying : plural(texts.apply, stored)}
          </Button>
          <Button onPress={onBack} isDisabled={apply.isPending}>
            {texts.back}
          </Button>
        </div>
        <ProblemNote error={apply.error} />
      </div>
    </Card>
  )
}
