import { type OutcomeText, resultFrame } from './outcome-text.js';

/** What one instance says to the server: results wait here while there is no connection. */
export class Outbox {
  /** Grows when the server forgets what it had dispatched. */
  generation = 0;
  private unsent: { readonly text: string; readonly recorded: boolean }[] = [];
  private online = false;

  constructor(private readonly transmit: (text: string) => boolean) {}

  /** Sends a frame. False while the instance is not registered on a connection. */
  send(text: string): boolean {
    return this.online && this.transmit(text);
  }

  /** Sends a result, now or when there is a connection. */
  tell(dispatchId: string, outcome: OutcomeText, recorded: boolean): void {
    const text = resultFrame(dispatchId, outcome);
    if (!this.send(text)) this.unsent.push({ text, recorded });
  }

  /**
   * The instance is registered on this connection. A server that was restarted would not know what the waiting results
   * are about, but for those that are recorded: it recovers them.
   */
  onRegistered(remembered: boolean): void {
    this.online = true;
    if (!remembered) this.generation += 1;
    const due = this.unsent;
    this.unsent = [];
    for (const { text, recorded } of due) if (remembered || recorded) this.transmit(text);
  }

  onLost(): void {
    this.online = false;
  }
}
