/** Notes: results of actions, problems and hints, announced to screen readers. */
import type { ReactNode } from 'react'
import { type State, StateMark } from './icon.tsx'
import classes from './note.module.css'

interface NoteProps {
  state: State
  /** `alert` interrupts a screen reader; for problems after an action. */
  role?: 'status' | 'alert'
  children: ReactNode
}

export const Note = ({ state, role = 'status', children }: NoteProps) => (
  <div className={classes.note} role={role}>
    <StateMark state={state} />
    <div>{children}</div>
  </div>
)
