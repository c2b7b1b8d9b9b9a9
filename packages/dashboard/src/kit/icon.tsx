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
  dots: 'M5 11a1 1 0 100 2 1 1 0 000-2zM12 11a1 1 0 100 2 1 1 0 000-2zM19 11a1 1 0 100 2 1 1 0 000-2z',
  handle: 'M9 6v.01M15 6v.01M9 12v.01M15 12v.01M9 18v.01M15 18v.01',
  components: 'M4 5h16v6H4zM4 14h7v6H4zM14 14h6v6h-6z',
  calendar: 'M5 6h14v14H5zM5 10h14M9 3v5M15 3v5',
  page: 'M4 5h16v14H4zM4 9h16M7 13h6M7 16h10',
  envelope: 'M3 6h18v12H3zM3 7l9 7 9-7',
  megaphone: 'M4 10v4h3l9 5V5l-9 5zM19 10a3 3 0 010 4',
  list: 'M9 6h11M9 12h11M9 18h11M4 6v.01M4 12v.01M4 18v.01',
  clock: 'M12 21a9 9 0 100-18 9 9 0 000 18zM12 7v5l4 2',
  gauge: 'M4 18a9 9 0 1116 0zM12 14l4-5',
  plug: 'M9 3v6M15 3v6M6 9h12v3a6 6 0 01-12 0zM12 18v3',
  code: 'M8 7l-5 5 5 5M16 7l5 5-5 5',
  users:
    'M9 11a3.5 3.5 0 100-7 3.5 3.5 0 000 7zM2.5 19c.6-3.5 3-5 6.5-5s6 1.5 6.5 5M16 4.5a3.5 3.5 0 010 6.5M18 14.5c2 .6 3.200 2.200 3.5 4.5',
  pin: 'M12 21c4-4.5 6-8 6-11a6 6 0 00-12 0c0 3 2 6.5 6 11zM12 12a2 2 0 100-4 2 2 0 000 4z',
  key: 'M8 19a4.5 4.5 0 100-9 4.5 4.5 0 000 9zM11 11l8-8M16 6l3 3',
  building: 'M5 21V4h9v17M14 9h5v12M3 21h18M8 8h3M8 12h3M8 16h3',
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

/** Class that sets the colour of the state as `--state`. */
export const stateClass = (state: State): string => classes[state] ?? ''

/** State as colour and shape. */
export const StateMark = ({
  state,
  size = 'small',
}: {
  state: State
  size?: 'small' | 'large'
}) => (
  <span className={`${classes.mark} ${stateClass(state)} ${classes[size]}`}>
    <Icon name={stateIcons[state]} />
  </span>
)
