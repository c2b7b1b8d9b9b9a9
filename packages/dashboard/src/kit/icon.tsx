/** Symbols, drawn in the colour of the text. They have no name of their own: a text is next to them. */
import classes from './icon.module.css'

const paths = {
  overview: 'M4 13h6V4H4zM14 20h6V4h-6zM4 20h6v-4H4z',
  start: 'M5 12l4 4 10-10',
  incident: 'M12 4L2.5 20h19zM12 10v4.5M12 17v.5',
  menu: 'M4 7h16M4 12h16M4 17h16',
  user: 'M12 12a4 4 0 100-8 4 4 0 000 8zM4 20c1-4 4-6 8-6s7 2 8 6',
  chevron: 'M6 9l6 6 6-6',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M7 7l10 10M17 7L7 17',
  plus: 'M12 5v14M5 12h14',
  minus: 'M6 12h12',
  exclamation: 'M12 5v9M12 18.5v.5',
  wrench: 'M14 7a4 4 0 005 5l-8 8-4-4 8-8a4 4 0 01-1-1z',
  external: 'M10 5H5v14h14v-5M14 4h6v6M20 4l-9 9',
  search: 'M11 18a7 7 0 100-14 7 7 0 000 14zM16 16l5 5',
  handle: 'M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01',
  components: 'M4 5h16v6H4zM4 14h7v6H4zM14 14h6v6h-6z',
  bell: 'M6 16V11a6 6 0 0112 0v5l2 2H4zM10 21h4',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg className={classes.icon} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
    <path d={paths[name]} />
  </svg>
)

export type State = 'ok' | 'slow' | 'part' | 'down' | 'work' | 'none'

const stateIcons: Record<State, IconName> = {
  ok: 'check',
  slow: 'minus',
  part: 'exclamation',
  down: 'cross',
  work: 'wrench',
  none: 'minus',
}

/** State as colour and shape. */
export const StateMark = ({
  state,
  size = 'small',
}: {
  state: State
  size?: 'small' | 'large'
}) => (
  <span className={`${classes.mark} ${classes[state]} ${classes[size]}`}>
    <Icon name={stateIcons[state]} />
  </span>
)
