/** Import from Statuspage: source, plan, and report. */
import { Link } from '@tanstack/react-router'
import { NoPermission } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ReportView } from './import-report.tsx'
import { SourceForm } from './import-source.tsx'
import classes from './imports.module.css'
import { importRights, type PageImportPlan, useStatuspageImport } from './statuspage-import.ts'

export const ImportScreen = () => {
  const { imports: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={texts.title} intro={texts.intro}>
      {importRights.every(can) ? <Import /> : <NoPermission />}
    </Screen>
  )
}

const Import = () => {
  const { plan, apply } = useStatuspageImport()
  if (apply.data !== undefined) return <ImportedCard report={apply.data} />
  if (plan.data !== undefined) {
    return <PlanCard plan={plan.data} apply={apply} onBack={() => plan.reset()} />
  }
  return <SourceForm plan={plan} />
}

const ImportedCard = ({ report }: Pick<PageImportPlan, 'report'>) => {
  const { imports: texts, overview } = useTexts()
  return (
    <Card title={texts.imported}>
      <div className={classes.content}>
        <Note state="ok">{texts.done}</Note>
        <ReportView report={report} />
        <p>
          <Link to="/start" className={buttonClass('primary')}>
            {overview.setUp}
          </Link>
        </p>
      </div>
    </Card>
  )
}

interface PlanCardProps {
  plan: PageImportPlan
  apply: ReturnType<typeof useStatuspageImport>['apply']
  onBack(): void
}

const PlanCard = ({ plan, apply, onBack }: PlanCardProps) => {
  const { imports: texts } = useTexts()
  return (
    <Card title={texts.plan}>
      <div className={classes.content}>
        <ReportView report={plan.report} />
        <div className={classes.actions}>
          <Button
            emphasis="primary"
            onPress={() => apply.mutate(plan.documents)}
            isDisabled={apply.isPending}
          >
            {apply.isPending ? texts.applying : texts.apply}
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
