/** Frame of a screen, its states without content (loading, empty, problem), the bar of a form. */
import { type ReactNode, Suspense, useEffect } from 'react'
import { useTexts } from '../texts/texts.tsx'
import { type State, StateMark } from './icon.tsx'
import classes from './screen.module.css'

interface ScreenProps {
  title: string
  intro?: string
  aside?: ReactNode
  children?: ReactNode
}

export const Screen = ({ title, intro, aside, children }: ScreenProps) => {
  const texts = useTexts()
  useEffect(() => {
    const { product } = texts
    document.title = title === product ? product : `${title} · ${product}`
  }, [title, texts])
  return (
    <div className={classes.screen}>
      <header className={classes.header}>
        <div>
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {intro !== undefined && <p className={classes.intro}>{intro}</p>}
        </div>
        {aside}
      </header>
      {/* A part that waits for its texts or its module does not hide the heading. */}
      <Suspense fallback={<Skeleton />}>{children}</Suspense>
    </div>
  )
}

interface EmptyProps {
  title: string
  hint?: string
  state?: State
  children?: ReactNode
}

/** Full message in place of content. */
export const Empty = ({ title, hint, state = 'none', children }: EmptyProps) => (
  <div className={classes.empty}>
    <StateMark state={state} size="large" />
    <p className={classes.emptyTitle}>{title}</p>
    {hint !== undefined && <p className={classes.hint}>{hint}</p>}
    {children}
  </div>
)

/** Bar with the buttons of a long form and the notes about them. */
export const FormBar = ({ children }: { children: ReactNode }) => (
  <div className={classes.formBar}>{children}</div>
)

/** Placeholder of the size of a list, while it loads. */
export const Skeleton = ({ rows = 3 }: { rows?: number }) => {
  const texts = useTexts()
  return (
    <div className={classes.skeleton} role="status">
      <span className="visually-hidden">{texts.states.loading}</span>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} className={classes.bar} />
      ))}
    </div>
  )
}
