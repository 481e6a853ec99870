import type { BrowserContext } from '@playwright/test';

/** What a browser complains about: errors on its console, violations of the content policy among them, and exceptions. */
export class ConsoleFaults {
  private readonly faults: string[] = [];
  private readonly expected: RegExp[] = [];

  constructor(context: BrowserContext) {
    context.on('console', (message) => {
      if (message.type() === 'error') this.faults.push(`${message.text()} (${message.location().url})`);
    });
    context.on('weberror', (fault) => this.faults.push(String(fault.error())));
  }

  /** The test provokes this one. */
  expect(pattern: RegExp): void {
    this.expected.push(pattern);
  }

  unexpected(): readonly string[] {
    return this.faults.filter((fault) => !this.expected.some((pattern) => pattern.test(fault)));
  }
}
