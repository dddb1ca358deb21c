/** Starts `circ lsp` for C files; all that is shown comes from there. */

import * as vscode from "vscode";
import { LanguageClient, LanguageClientOptions, ServerOptions } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

async function start(): Promise<void> {
  const settings = vscode.workspace.getConfiguration("circ");
  const server: ServerOptions = { command: settings.get<string>("path", "circ"), args: ["lsp"] };
  const options: LanguageClientOptions = {
    documentSelector: [{ scheme: "file", language: "c" }],
    initializationOptions: { options: settings.get<string[]>("options", []) },
    synchronize: { configurationSection: "circ" },
  };
  client = new LanguageClient("circ", "circ", server, options);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(`circ lsp does not start (pip install 'circ[lsp]', or set circ.path): ${error}`);
  }
}

async function stop(): Promise<void> {
  await client?.stop();
  client = undefined;
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("circ.restart", async () => { await stop(); await start(); }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("circ.path")) { await stop(); await start(); }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
