/** Modal dialogs. */
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components'
import classes from './dialog.module.css'
import { Icon } from './icon.tsx'

interface DialogProps {
  title: string
  isOpen: boolean
  /** Absent for a dialog that only its content ends. */
  onClose?(): void
  /** Name of the button that closes the dialog; absent for a dialog whose content has one. */
  closeLabel?: string
  /** `large` fills the screen of a phone. */
  size?: 'small' | 'large'
  children: ReactNode
}

export const Dialog = (props: DialogProps) => {
  const { title, isOpen, onClose, closeLabel, size = 'small', children } = props
  return (
    <ModalOverlay
      className={`${classes.overlay} ${classes[`${size}Overlay`]}`}
      isOpen={isOpen}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => !open && onClose?.()}
    >
      <Modal className={`${classes.modal} ${classes[size]}`}>
        <AriaDialog className={classes.dialog}>
          <header className={classes.header}>
            <Heading slot="title" className={classes.title}>
              <bdi>{title}</bdi>
            </Heading>
            {closeLabel !== undefined && (
              <Button className={classes.close} aria-label={closeLabel} onPress={onClose}>
                <Icon name="cross" />
              </Button>
            )}
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

/** Actions of a large dialog, always visible at its end. */
export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <footer className={classes.footer}>{children}</footer>
)
