/** Arrangement of fields, texts and buttons in cards and dialogs. */
import type { ReactNode } from 'react'
import classes from './arrangement.module.css'

interface ArrangementProps {
  children: ReactNode
}

/** Fields one below the other. */
export const Fields = ({ children }: ArrangementProps) => (
  <div className={classes.fields}>{children}</div>
)

/** Content of a card that is no list. */
export const CardBody = ({ children }: ArrangementProps) => (
  <div className={classes.body}>{children}</div>
)

/** Short fields in one line on a wide screen. */
export const InlineFields = ({ children }: ArrangementProps) => (
  <div className={classes.inline}>{children}</div>
)

/** Buttons at the end of a form or dialog. */
export const Actions = ({ children }: ArrangementProps) => (
  <div className={classes.actions}>{children}</div>
)

export const Hint = ({ children }: ArrangementProps) => <p className={classes.quiet}>{children}</p>
