/** Row of a list: state, title, facts and actions. */
import type { ReactNode } from 'react'
import { type State, StateMark } from './icon.tsx'
import classes from './list-row.module.css'

interface ListRowProps {
  state: State
  title: ReactNode
  facts?: readonly (string | null | undefined)[]
  actions?: ReactNode
}

export const ListRow = ({ state, title, facts = [], actions }: ListRowProps) => {
  const shown = facts.filter((fact) => typeof fact === 'string' && fact !== '')
  return (
    <li className={classes.row}>
      <StateMark state={state} />
      <div className={classes.text}>
        <p className={classes.title}>
          <bdi>{title}</bdi>
        </p>
        {shown.length > 0 && (
          <p className={classes.facts}>
            {shown.map((fact) => (
              <span key={fact}>
                <bdi>{fact}</bdi>
              </span>
            ))}
          </p>
        )}
      </div>
      {actions}
    </li>
  )
}
