/** First choice of an empty organization: a new page, or the import of an existing one. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { importRights } from '../imports/statuspage-import.ts'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './first-run.module.css'
import type { FirstRun } from './first-run.ts'
import { stepRights } from './steps.ts'

export const StartChoices = ({ data }: Pick<FirstRun, 'data'>) => {
  const { firstRun, imports } = useTexts()
  const { can } = useSession()
  const { choices } = firstRun
  if (data.page !== null || data.componentCount > 0) return null
  if (!can(stepRights.page) || !importRights.every(can)) return null
  return (
    <section aria-label={choices.title} className={classes.choices}>
      <Choice title={choices.create} hint={choices.createHint}>
        <Link to="/start/$step" params={{ step: 'page' }} className={buttonClass('primary')}>
          {firstRun.page.title}
        </Link>
      </Choice>
      <Choice title={imports.title} hint={choices.importHint}>
        <Link to="/start/import" className={buttonClass('primary')}>
          {choices.import}
        </Link>
      </Choice>
    </section>
  )
}

const Choice = (props: { title: string; hint: string; children: ReactNode }) => (
  <Card title={props.title}>
    <div className={classes.choice}>
      <p>{props.hint}</p>
      {props.children}
    </div>
  </Card>
)
