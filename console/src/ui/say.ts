'use client';

import { notifications } from '@mantine/notifications';

/** Tells the person that something they asked for was done. */
export function say(message: string): void {
  notifications.show({ message, autoClose: 4_000, withBorder: true });
}

/** Tells the person that something they asked for failed. */
export function sayFailure(title: string, message: string): void {
  notifications.show({ title, message, color: 'red', autoClose: 10_000, withBorder: true });
}

/** Tells the person that what they asked for was done, and what about it they may not have meant. */
export function sayWarning(message: string): void {
  notifications.show({ message, color: 'yellow', autoClose: 12_000, withBorder: true });
}
