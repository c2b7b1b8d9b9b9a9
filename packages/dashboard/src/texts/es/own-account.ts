/** Spanish texts of the own account, and of the proof of identity. */
import type { ownAccount as model } from '../en/own-account.ts'

export const ownAccount: typeof model = {
  title: 'Cuenta',
  proof: {
    password: 'Contraseña',
    code: 'Código de la aplicación de autenticación o código de respaldo',
    typed: 'Escriba {text} para confirmar',
  },
  profile: {
    title: 'Perfil',
    name: 'Nombre',
    nameHint: 'Como lo ven sus colegas en todas las organizaciones',
    save: 'Guardar el nombre',
    saved: 'El nombre está guardado.',
    email: 'Dirección de correo',
    verified: 'Verificada',
    unverified: 'Sin verificar',
    verify: 'Enviar de nuevo el correo de verificación',
    verificationSent: 'Se envió el correo.',
    timeZone: 'Las horas se muestran en la zona horaria de este navegador: {zone}.',
    language: 'Idioma',
  },
  password: {
    title: 'Contraseña',
    current: 'Contraseña actual',
    next: 'Contraseña nueva',
    hint: 'Al menos 8 caracteres. Todas las demás sesiones terminan.',
    save: 'Cambiar la contraseña',
    saved: 'La contraseña está cambiada y todas las demás sesiones han terminado.',
  },
  secondFactor: {
    title: 'Segundo factor',
    off: 'Para acceder basta la contraseña.',
    on: 'Para acceder se necesita un código de una aplicación de autenticación desde {time}.',
    remaining: {
      one: '{count} código de respaldo sin usar',
      other: '{count} códigos de respaldo sin usar',
    },
    setUp: 'Configurar',
    setUpHint: 'Necesita una aplicación de autenticación. Todas las demás sesiones terminan.',
    next: 'Continuar',
    scan: 'Escanee el código QR con la aplicación, o introduzca la clave, y escriba después el código que muestra.',
    qrCode: 'Código QR para la aplicación de autenticación',
    key: 'Clave',
    code: 'Código de la aplicación',
    enable: 'Activar el segundo factor',
    codes: 'Códigos de respaldo',
    codesHint:
      'Cada código sustituye a la aplicación una vez. Guárdelos en un lugar seguro; no se volverán a mostrar.',
    download: 'Descargar',
    done: 'Hecho',
    renew: 'Nuevos códigos de respaldo',
    renewHint:
      'Los códigos de respaldo actuales dejan de ser válidos y todas las demás sesiones terminan.',
    disable: 'Desactivar',
    disableTitle: 'Desactivar el segundo factor',
    disableHint: 'La contraseña vuelve a ser suficiente. Todas las demás sesiones terminan.',
  },
  sessions: {
    title: 'Sesiones',
    current: 'Este navegador',
    unknown: 'Programa desconocido',
    used: 'Último uso {time}',
    started: 'Acceso {time}',
    end: 'Cerrar',
    endOf: 'Cerrar: {device}',
    endOthers: 'Cerrar todas las demás',
    othersEnded: 'Todas las demás sesiones han terminado.',
  },
  data: {
    title: 'Sus datos',
    exportHint:
      'Cuenta, pertenencias, sesiones, claves de API y entradas de auditoría en un archivo JSON.',
    export: 'Exportar',
    deleteHint:
      'Elimina de inmediato la cuenta con sus sesiones. Una organización sin otros miembros se elimina con ella.',
    delete: 'Eliminar la cuenta',
    deleteTitle: '¿Eliminar su cuenta?',
  },
}
