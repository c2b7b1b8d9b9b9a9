/** Button with a menu of actions. */
import { Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import classes from './menu.module.css'

export interface MenuAction {
  id: string
  label: string
  onAction(): void
}

interface ActionMenuProps {
  label: string
  actions: readonly MenuAction[]
  /** Disables the button, to which the focus returns from its menu. */
  isPending?: boolean
  /** Shows a symbol instead of the label, as in the rows of a list. */
  isCompact?: boolean
}

export const ActionMenu = ({ label, actions, isPending, isCompact = false }: ActionMenuProps) => (
  <MenuTrigger>
    <Button
      isPending={isPending}
      emphasis={isCompact ? 'quiet' : 'secondary'}
      aria-label={isCompact ? label : undefined}
    >
      {!isCompact && label} <Icon name={isCompact ? 'dots' : 'chevron'} />
    </Button>
    <Popover className={classes.popover} placement="bottom end">
      <Menu className={classes.list} aria-label={label} items={actions}>
        {(action) => (
          <MenuItem id={action.id} className={classes.item} onAction={action.onAction}>
            {action.label}
          </MenuItem>
        )}
      </Menu>
    </Popover>
  </MenuTrigger>
)
