/** Sections of a screen. */
import { type ReactNode, useId } from 'react'
import classes from './card.module.css'

interface CardProps {
  title: string
  /** Number next to the title. */
  count?: string
  /** Note or action at the end of the heading. */
  aside?: ReactNode
  /** Absent for a card that is one line. */
  children?: ReactNode
}

export const Card = ({ title, count, aside, children }: CardProps) => {
  const id = useId()
  return (
    <section className={classes.card} aria-labelledby={id}>
      <header className={classes.header}>
        <h2 id={id}>
          {title} {count !== undefined && <bdi className={classes.count}>{count}</bdi>}
        </h2>
        {aside}
      </header>
      {children}
    </section>
  )
}
