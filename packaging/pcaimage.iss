; Inno Setup's script of the installer for Windows: iscc packaging\pcaimage.iss
; of build\dist\packed\pcaimage, which PyInstaller makes there as `make dist ARGS=folder` does on Linux.
[Setup]
AppId=org.pcaimage.PcaImage
AppName=pcaimage
AppVersion=1.0.0
AppPublisher=The pcaimage developers
DefaultDirName={autopf}\pcaimage
DefaultGroupName=pcaimage
PrivilegesRequired=lowest
ChangesAssociations=yes
ChangesEnvironment=yes
LicenseFile=..\LICENSE
OutputDir=..\dist
OutputBaseFilename=pcaimage-1.0.0-windows
Compression=lzma2
SolidCompression=yes

[Files]
Source: "..\build\dist\packed\pcaimage\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[Icons]
Name: "{group}\pcaimage"; Filename: "{app}\pcaimage.exe"; Parameters: "gui"

[Run]
Filename: "{app}\pcaimage.exe"; Parameters: "desktop --install"; Flags: runhidden

[UninstallRun]
Filename: "{app}\pcaimage.exe"; Parameters: "desktop --remove"; Flags: runhidden; RunOnceId: "Desktop"
