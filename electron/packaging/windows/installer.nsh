; The scheme of the links, as in `latchkey.scheme` in package.json; packaging fails where they differ.
!define LINK_SCHEME "latchkey"

; Removes what the app itself has registered for the user who uninstalls it. At an update, electron-builder also runs the
; uninstaller of the old version: then everything stays.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    ; The links may open another installation by now.
    StrCpy $R0 '"$INSTDIR\${APP_EXECUTABLE_FILENAME}"'
    StrLen $R1 $R0
    ReadRegStr $R2 HKCU "Software\Classes\${LINK_SCHEME}\shell\open\command" ""
    StrCpy $R2 $R2 $R1
    ${if} $R2 == $R0
      DeleteRegKey HKCU "Software\Classes\${LINK_SCHEME}"
    ${endIf}
    ; Start at login: Electron names the values for the app's id.
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "${APP_ID}"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Explorer\StartupApproved\Run" "${APP_ID}"
  ${endIf}
!macroend
