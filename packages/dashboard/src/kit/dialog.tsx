/** Modal dialogs. */
import type { ReactNode } from 'react'
import { Dialog as AriaDialog, Button, Heading, Modal, ModalOverlay } from 'react-aria-components'
import classes from './dialog.module.css'
import { Icon } from './icon.tsx'

type DialogSize = 'small' | 'large' | 'wide'

/** A wide dialog is a large one with room for two columns. */
const sizeClasses: Record<DialogSize, { overlay: string; modal: string }> = {
  small: { overlay: `${classes.smallOverlay}`, modal: `${classes.small}` },
  large: { overlay: `${classes.largeOverlay}`, modal: `${classes.large}` },
  wide: { overlay: `${classes.largeOverlay}`, modal: `${classes.large} ${classes.wide}` },
}

interface DialogProps {
  title: string
  isOpen: boolean
  /** Absent for a dialog that only its content ends. */
  onClose?(): void
  /** Name of the button that closes the dialog; absent for a dialog whose content has one. */
  closeLabel?: string
  /** `large` and `wide` fill the screen of a phone. */
  size?: DialogSize
  children: ReactNode
}

export const Dialog = (props: DialogProps) => {
  const { title, isOpen, onClose, closeLabel, size = 'small', children } = props
  return (
    <ModalOverlay
      className={`${classes.overlay} ${sizeClasses[size].overlay}`}
      isOpen={isOpen}
      isDismissable={onClose !== undefined}
      isKeyboardDismissDisabled={onClose === undefined}
      onOpenChange={(open) => !open && onClose?.()}
    >
      <Modal className={`${classes.modal} ${sizeClasses[size].modal}`}>
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

/** Actions of a large dialog and the note about them, always visible at its end. */
export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <footer className={classes.footer}>{children}</footer>
)
