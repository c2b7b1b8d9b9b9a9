/** Components that an outage of a component affects, with the pages that show them. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { impactQuery } from './queries.ts'

export const ImpactCard = ({ id }: { id: string }) => {
  const { impact: texts } = useTexts().componentScreens
  const { facts, fill, number } = useFormats()
  const { data: impact } = useQuery(impactQuery(id))
  if (impact === undefined || impact.meta.total === 0) return null
  const hidden = impact.meta.total - impact.data.length
  return (
    <Card title={texts.title} count={number(impact.meta.total)}>
      <ul className={classes.rows}>
        {impact.data.map(({ id: dependentId, name, status, depth, statusPages }) => (
          <li key={dependentId}>
            <StateMark state={componentStates[status]} />
            <Link to="/components/$id" params={{ id: dependentId }}>
              <bdi>{name}</bdi>
            </Link>
            <span className={classes.quiet}>{depth === 1 ? texts.direct : texts.indirect}</span>
            {statusPages.length > 0 && (
              <span className={classes.quiet}>
                {fill(texts.pages, { names: facts(statusPages.map((page) => page.name)) })}
              </span>
            )}
          </li>
        ))}
      </ul>
      {hidden > 0 && <p className={classes.quiet}>{fill(texts.more, { count: number(hidden) })}</p>}
    </Card>
  )
}
